import { ArrowLeft, ArrowRight, Pencil, Plus } from 'lucide-react';
import type { MemoryEntity, MemoryRelation } from 'pentarch-sdk';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Input, Select } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { textOf } from '../../lib/text.ts';
import { EntityName } from './entity-name.tsx';
import { EntityPicker } from './entity-picker.tsx';
import styles from './memory.module.css';
import { useCreateRelation, useRelationsOf } from './queries.ts';
import { RelationEditor } from './relation-editor.tsx';
import { textOfValue, words } from './shapes.ts';

export type Names = ReadonlyMap<string, string>;

interface RowProps {
  relation: MemoryRelation;
  /** Whose relations are listed. */
  entityId: string;
  names: Names;
  mayChange: boolean;
  onOpen: (id: string) => void;
}

const Row = ({ relation, entityId, names, mayChange, onOpen }: RowProps) => {
  const [editing, setEditing] = useState(false);
  const outgoing = relation.from_entity_id === entityId;
  const other = outgoing ? relation.to_entity_id : relation.from_entity_id;
  const properties = Object.entries(relation.properties);
  return (
    <li className={styles.relation} data-ended={relation.valid_to === null ? undefined : true}>
      <div className={styles.relationLine}>
        {outgoing ? (
          <ArrowRight size={13} aria-label="to" className={styles.direction} />
        ) : (
          <ArrowLeft size={13} aria-label="from" className={styles.direction} />
        )}
        <span className={styles.relationType}>{words(relation.relation_type)}</span>
        <button type="button" className={styles.link} onClick={() => onOpen(other)}>
          <EntityName id={other} known={names.get(other)} />
        </button>
        {mayChange && (
          <span className={styles.factActions}>
            <IconButton
              label={`Edit relation ${words(relation.relation_type)} ${names.get(other) ?? ''}`}
              aria-expanded={editing}
              icon={<Pencil size={13} />}
              onClick={() => setEditing(!editing)}
            />
          </span>
        )}
      </div>
      {(properties.length > 0 || relation.valid_to !== null) && !editing && (
        <p className={styles.provenance}>
          {properties.map(([name, value]) => (
            <span key={name}>
              {name}: {textOfValue(value)}
            </span>
          ))}
          {relation.valid_to !== null && (
            <span>
              ended <RelativeTime iso={relation.valid_to} />
            </span>
          )}
        </p>
      )}
      {editing && <RelationEditor relation={relation} onDone={() => setEditing(false)} />}
    </li>
  );
};

const NewRelation = ({ entity, onDone }: { entity: MemoryEntity; onDone: () => void }) => {
  const create = useCreateRelation();
  const toast = useToast();
  const [other, setOther] = useState<MemoryEntity | null>(null);
  const [missing, setMissing] = useState(false);
  return (
    <Form
      error={create.error}
      fields={['relation_type', 'to_entity_id', 'from_entity_id']}
      onSubmit={(values) => {
        if (other === null) return setMissing(true);
        const incoming = textOf(values, 'direction') === 'from';
        create.mutate(
          {
            from_entity_id: incoming ? other.id : entity.id,
            to_entity_id: incoming ? entity.id : other.id,
            relation_type: textOf(values, 'relation_type'),
            ...(entity.visibility === 'tenant' && other.visibility === 'tenant'
              ? { visibility: 'tenant' as const }
              : {}),
          },
          {
            onSuccess: () => {
              toast.done(`${entity.name} and ${other.name} are tied`);
              onDone();
            },
          },
        );
      }}
    >
      {(fault) => (
        <>
          <div className={styles.pair}>
            <Input
              label="Relation type"
              name="relation_type"
              maxLength={100}
              placeholder="works_at"
              autoFocus
              list="memory-relation-types"
              fault={fault('relation_type')}
            />
            <Select
              label="Direction"
              name="direction"
              options={[
                { value: 'to', label: 'to the other' },
                { value: 'from', label: 'from the other' },
              ]}
            />
          </div>
          <EntityPicker
            label="Other entity"
            without={entity.id}
            chosen={other}
            fault={
              fault('to_entity_id') ??
              fault('from_entity_id') ??
              (missing && other === null ? 'Choose one of the list' : undefined)
            }
            onChoose={setOther}
          />
          <div className={styles.buttons}>
            <Button onClick={onDone}>Cancel</Button>
            <Button kind="primary" type="submit" busy={create.isPending}>
              Tie
            </Button>
          </div>
        </>
      )}
    </Form>
  );
};

interface RelationsOfProps {
  entity: MemoryEntity;
  names: Names;
  mayWrite: boolean;
  mayChange: (relation: MemoryRelation) => boolean;
  onOpen: (id: string) => void;
}

/** What an entity is tied to, both ways; each can be followed, changed and ended. */
export const RelationsOf = ({ entity, names, mayWrite, mayChange, onOpen }: RelationsOfProps) => {
  const rows = useRelationsOf(entity.id);
  const [adding, setAdding] = useState(false);
  return (
    <section className={styles.section} aria-label="Relations">
      <div className={styles.sectionHead}>
        <h3>Relations</h3>
        {mayWrite && !adding && (
          <Button kind="quiet" onClick={() => setAdding(true)}>
            <Plus size={13} aria-hidden="true" /> Relation
          </Button>
        )}
      </div>
      {adding && <NewRelation entity={entity} onDone={() => setAdding(false)} />}
      {rows.data === undefined &&
        (rows.error === null ? (
          <Skeleton height="4rem" />
        ) : (
          <ErrorState error={rows.error} onRetry={rows.retry} />
        ))}
      {rows.data?.length === 0 && !adding && <p className={styles.quiet}>Tied to nothing yet.</p>}
      <ul className={styles.facts}>
        {rows.data?.map((relation) => (
          <Row
            key={relation.id}
            relation={relation}
            entityId={entity.id}
            names={names}
            mayChange={mayChange(relation)}
            onOpen={onOpen}
          />
        ))}
      </ul>
      <ShowMore rows={rows} />
    </section>
  );
};
