import type { MemoryEntity } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Input, Textarea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toast.tsx';
import { textOf } from '../../lib/text.ts';
import styles from './memory.module.css';
import { useCreateEntity, useEntityActions, useMayShare } from './queries.ts';

/** Types that are there already, for the fields that take one; rendered once by the page. */
export const TYPES_LIST = 'memory-entity-types';

const IMPORTANCE_HINT = '0–100; it fades by itself while nothing is asked about it';

/** A share of 0–1 from a field that takes percent. */
const importanceOf = (values: FormData): number => Number(textOf(values, 'importance')) / 100;

interface EditProps {
  entity: MemoryEntity;
  onDone: () => void;
}

/** In place of the entity's head. */
export const EntityEdit = ({ entity, onDone }: EditProps) => {
  const { update } = useEntityActions(entity.id);
  const toast = useToast();
  const percent = Math.round(entity.importance * 100);
  return (
    <Form
      error={update.error}
      fields={['name', 'entity_type', 'importance']}
      onSubmit={(values) => {
        const [name, type] = [textOf(values, 'name'), textOf(values, 'entity_type')];
        const changes = {
          ...(name === entity.name ? {} : { name }),
          ...(type === entity.entity_type ? {} : { entity_type: type }),
          // Sending what stands there would set it anew and end its fading.
          ...(Number(textOf(values, 'importance')) === percent ? {} : { importance: importanceOf(values) }),
        };
        if (Object.keys(changes).length === 0) return onDone();
        update.mutate(changes, {
          onSuccess: (changed) => {
            toast.done(`${changed.name} is changed`);
            onDone();
          },
        });
      }}
    >
      {(fault) => (
        <>
          <Input
            label="Name"
            name="name"
            maxLength={200}
            autoFocus
            defaultValue={entity.name}
            fault={fault('name')}
          />
          <div className={styles.pair}>
            <Input
              label="Type"
              name="entity_type"
              maxLength={100}
              list={TYPES_LIST}
              defaultValue={entity.entity_type}
              fault={fault('entity_type')}
            />
            <Input
              label="Importance, %"
              name="importance"
              type="number"
              min={0}
              max={100}
              step={1}
              defaultValue={percent}
              fault={fault('importance')}
            />
          </div>
          <div className={styles.buttons}>
            <Button onClick={onDone}>Cancel</Button>
            <Button kind="primary" type="submit" busy={update.isPending}>
              Save
            </Button>
          </div>
        </>
      )}
    </Form>
  );
};

interface NewProps {
  onClose: () => void;
  onMade: (entity: MemoryEntity) => void;
}

export const NewEntity = ({ onClose, onMade }: NewProps) => {
  const create = useCreateEntity();
  const mayShare = useMayShare();
  const [shared, setShared] = useState(false);
  return (
    <Dialog
      open
      onClose={onClose}
      title="New entity"
      description="A person, a project, a place: anything that the agents should remember something about."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="new-entity" busy={create.isPending}>
            Add entity
          </Button>
        </>
      }
    >
      <Form
        id="new-entity"
        error={create.error}
        fields={['name', 'entity_type', 'observations', 'importance']}
        onSubmit={(values) => {
          const facts = textOf(values, 'facts')
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== '');
          create.mutate(
            {
              name: textOf(values, 'name'),
              entity_type: textOf(values, 'entity_type'),
              importance: importanceOf(values),
              ...(facts.length === 0 ? {} : { observations: facts }),
              ...(shared ? { visibility: 'tenant' as const } : {}),
            },
            { onSuccess: onMade },
          );
        }}
      >
        {(fault) => (
          <>
            <Input label="Name" name="name" maxLength={200} fault={fault('name')} />
            <div className={styles.pair}>
              <Input
                label="Type"
                name="entity_type"
                maxLength={100}
                placeholder="person, organization, project"
                list={TYPES_LIST}
                fault={fault('entity_type')}
              />
              <Input
                label="Importance, %"
                name="importance"
                type="number"
                min={0}
                max={100}
                defaultValue={50}
                hint={IMPORTANCE_HINT}
                fault={fault('importance')}
              />
            </div>
            <Textarea label="Facts" name="facts" hint="One a line" fault={fault('observations')} />
            {mayShare && (
              <Checkbox
                label="Share with the organisation"
                hint="Off: only you and the agents that work for you know of it."
                checked={shared}
                onChange={setShared}
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
};
