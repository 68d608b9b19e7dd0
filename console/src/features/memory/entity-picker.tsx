import type { MemoryEntity } from 'pentarch-sdk';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { Input } from '../../components/field.tsx';
import styles from './memory.module.css';
import { useEntityChoices } from './queries.ts';

interface EntityPickerProps {
  label: string;
  /** Not offered: the one that is tied or merged. */
  without: string;
  chosen: MemoryEntity | null;
  fault?: string | undefined;
  onChoose: (entity: MemoryEntity | null) => void;
}

/** Finds one entity as its name is typed: the combobox pattern, arrows and Enter in the field. */
export const EntityPicker = ({ label, without, chosen, fault, onChoose }: EntityPickerProps) => {
  const [text, setText] = useState('');
  const [marked, setMarked] = useState(0);
  const [shut, setShut] = useState(false);
  const q = useDeferredValue(text.trim());
  const { data } = useEntityChoices(chosen === null ? q : '');
  const listId = useId();
  const choices = chosen === null && q !== '' ? (data ?? []).filter((one) => one.id !== without) : [];
  const isOpen = choices.length > 0 && !shut;
  const choose = (entity: MemoryEntity): void => {
    setText(entity.name);
    setMarked(0);
    onChoose(entity);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setMarked((marked + (event.key === 'ArrowDown' ? 1 : choices.length - 1)) % choices.length);
    } else if (event.key === 'Enter') {
      const choice = choices[marked] ?? choices[0];
      event.preventDefault();
      if (choice !== undefined) choose(choice);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      setShut(true);
    }
  };
  const nothing = chosen === null && q !== '' && data !== undefined && choices.length === 0;
  return (
    <div className={styles.picker}>
      <Input
        label={label}
        role="combobox"
        autoComplete="off"
        placeholder="Type a name"
        aria-expanded={isOpen}
        aria-autocomplete="list"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? `${listId}-${choices[marked]?.id ?? ''}` : undefined}
        hint={nothing ? 'No entity of this name' : undefined}
        fault={fault}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setMarked(0);
          setShut(false);
          if (chosen !== null) onChoose(null);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <div className={styles.choices} id={listId} role="listbox" aria-label={label}>
          {choices.map((one, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the marked one
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled in the field
            <div
              key={one.id}
              id={`${listId}-${one.id}`}
              role="option"
              aria-selected={index === marked}
              onClick={() => choose(one)}
            >
              <bdi>{one.name}</bdi> <span className={styles.quiet}>{one.entity_type}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
};
