import { Plus, X } from 'lucide-react';
import type { MemoryRelation } from 'pentarch-sdk';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Input } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toast.tsx';
import { textOf } from '../../lib/text.ts';
import styles from './memory.module.css';
import { useRelationActions } from './queries.ts';
import { textOfValue, typedValue } from './shapes.ts';

interface Property {
  key: string;
  name: string;
  value: string;
}

export const propertiesOf = (record: Readonly<Record<string, unknown>>): Property[] =>
  Object.entries(record).map(([name, value]) => ({ key: name, name, value: textOfValue(value) }));

const recordOf = (rows: readonly Property[]): Record<string, unknown> =>
  Object.fromEntries(
    rows.filter((row) => row.name.trim() !== '').map((row) => [row.name.trim(), typedValue(row.value)]),
  );

const PropertyRows = ({
  rows,
  onRows,
}: {
  rows: readonly Property[];
  onRows: (rows: Property[]) => void;
}) => (
  <fieldset className={styles.properties}>
    <legend>Properties</legend>
    {rows.map((row, index) => {
      const change = (more: Partial<Property>): void =>
        onRows(rows.map((one) => (one.key === row.key ? { ...one, ...more } : one)));
      return (
        <div key={row.key} className={styles.property}>
          <input
            aria-label={`Name of property ${index + 1}`}
            placeholder="name"
            value={row.name}
            onChange={(event) => change({ name: event.target.value })}
          />
          <input
            aria-label={`Value of property ${index + 1}`}
            placeholder="value"
            value={row.value}
            onChange={(event) => change({ value: event.target.value })}
          />
          <IconButton
            label={`Remove property ${row.name || index + 1}`}
            icon={<X size={13} />}
            onClick={() => onRows(rows.filter((one) => one.key !== row.key))}
          />
        </div>
      );
    })}
    <Button kind="quiet" onClick={() => onRows([...rows, { key: crypto.randomUUID(), name: '', value: '' }])}>
      <Plus size={13} aria-hidden="true" /> Property
    </Button>
  </fieldset>
);

/** For `datetime-local`, in the person's own time. */
const localOf = (iso: string | null): string => {
  if (iso === null) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const isoOf = (local: string): string | null => (local === '' ? null : new Date(local).toISOString());

interface RelationEditorProps {
  relation: MemoryRelation;
  onDone: () => void;
}

/** Type, validity and properties, changed where they stand. */
export const RelationEditor = ({ relation, onDone }: RelationEditorProps) => {
  const { update, remove } = useRelationActions(relation.id);
  const toast = useToast();
  const [rows, setRows] = useState(() => propertiesOf(relation.properties));
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <Form
        error={update.error}
        fields={['relation_type', 'valid_from', 'valid_to']}
        onSubmit={(values) => {
          const [from, to] = [textOf(values, 'valid_from'), textOf(values, 'valid_to')];
          const start = isoOf(from);
          update.mutate(
            {
              relation_type: textOf(values, 'relation_type'),
              properties: recordOf(rows),
              // Unchanged minutes keep the seconds that the field does not show.
              ...(start === null || from === localOf(relation.valid_from) ? {} : { valid_from: start }),
              ...(to === localOf(relation.valid_to) ? {} : { valid_to: isoOf(to) }),
            },
            {
              onSuccess: () => {
                toast.done('The relation is changed');
                onDone();
              },
            },
          );
        }}
      >
        {(fault) => (
          <>
            <Input
              label="Relation type"
              name="relation_type"
              maxLength={100}
              required
              defaultValue={relation.relation_type}
              fault={fault('relation_type')}
            />
            <div className={styles.pair}>
              <Input
                label="Holds from"
                name="valid_from"
                type="datetime-local"
                defaultValue={localOf(relation.valid_from)}
                fault={fault('valid_from')}
              />
              <Input
                label="Until"
                name="valid_to"
                type="datetime-local"
                hint="Empty: it holds"
                defaultValue={localOf(relation.valid_to)}
                fault={fault('valid_to')}
              />
            </div>
            <PropertyRows rows={rows} onRows={setRows} />
            <div className={styles.buttons}>
              <Button kind="quiet" className={styles.dangerText} onClick={() => setDeleting(true)}>
                Delete …
              </Button>
              <span className={styles.spacer} />
              <Button onClick={onDone}>Cancel</Button>
              <Button kind="primary" type="submit" busy={update.isPending}>
                Save
              </Button>
            </div>
          </>
        )}
      </Form>
      <ConfirmDialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title="Delete this relation permanently?"
        message="It is not kept as history. If it was true once, set the end of it instead."
        action="Delete relation"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => {
              toast.done('The relation is deleted');
              onDone();
            },
            onError: toast.failed,
            onSettled: () => setDeleting(false),
          })
        }
      />
    </>
  );
};
