import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import floats from '../components/float.module.css';
import { faultOf } from '../lib/errors.ts';
import styles from './palette.module.css';
import { type Entry, type EntryGroup, usePaletteEntries } from './palette-entries.ts';

/** A pause in typing after which the server is asked, in ms. */
const PAUSE_MS = 150;

const usePaused = (text: string): string => {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
};

const EntryItem = ({ entry, onGo }: { entry: Entry; onGo: (entry: Entry) => void }) => {
  const { icon: Icon, label, hint } = entry;
  return (
    <Autocomplete.Item value={entry} className={styles.item} onClick={() => onGo(entry)}>
      <Icon size={15} aria-hidden="true" />
      <span className={styles.label}>{label}</span>
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
    </Autocomplete.Item>
  );
};

/** One field for everything: pages, agents, conversations, documents and actions. */
const Palette = ({ onClose }: { onClose: () => void }) => {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const typed = useDeferredValue(text.trim());
  const q = usePaused(text.trim());
  const { groups, busy, error } = usePaletteEntries(typed, q);
  const go = ({ go: target }: Entry): void => {
    onClose();
    if (typeof target === 'function') target();
    else void navigate({ to: target.to, search: target.search ?? {} });
  };
  const isSearching = busy || q !== text.trim();
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className={floats.backdrop} />
        <Dialog.Popup className={styles.palette} aria-label="Search and commands">
          <Autocomplete.Root
            open
            inline
            items={groups}
            filter={null}
            autoHighlight="always"
            keepHighlight
            value={text}
            onValueChange={(value, { reason }) => {
              // Choosing an entry would write its name into the field.
              if (reason !== 'item-press') setText(value);
            }}
            itemToStringValue={({ label }: Entry) => label}
          >
            <Autocomplete.InputGroup className={styles.field}>
              <Search size={16} aria-hidden="true" />
              <Autocomplete.Input
                aria-label="Search and commands"
                placeholder="Search, or go to …"
                maxLength={200}
              />
            </Autocomplete.InputGroup>
            <Dialog.Close className="visually-hidden">Close</Dialog.Close>
            <div className={styles.scroll}>
              <Autocomplete.List>
                {(group: EntryGroup) => (
                  <Autocomplete.Group key={group.value} items={group.items}>
                    <Autocomplete.GroupLabel className={styles.group}>{group.value}</Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(entry: Entry) => <EntryItem key={entry.id} entry={entry} onGo={go} />}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
              <p role="status" className={styles.status}>
                {error !== null
                  ? `Conversations and documents could not be searched: ${faultOf(error).message}`
                  : isSearching
                    ? 'Searching …'
                    : groups.length === 0
                      ? 'Nothing found. Try another word.'
                      : ''}
              </p>
            </div>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
};

/** Loaded when it is first opened. */
export default Palette;
