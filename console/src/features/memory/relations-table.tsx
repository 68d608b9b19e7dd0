import { Spline } from 'lucide-react';
import type { MemoryRelation } from 'pentarch-sdk';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Drawer } from '../../components/dialog.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Badge, StatusPill } from '../../components/surface.tsx';
import { useMay } from '../../lib/me.ts';
import { EntityName } from './entity-name.tsx';
import styles from './memory.module.css';
import { useMayShare, useRelation, useRelations } from './queries.ts';
import { RelationEditor } from './relation-editor.tsx';
import type { Names } from './relations-of.tsx';
import { textOfValue, words } from './shapes.ts';

const columns = (names: Names): readonly Column<MemoryRelation>[] => [
  {
    id: 'from',
    header: 'From',
    sortBy: (row) => names.get(row.from_entity_id) ?? null,
    cell: (row) => <EntityName id={row.from_entity_id} known={names.get(row.from_entity_id)} />,
  },
  {
    id: 'type',
    header: 'Relation',
    sortBy: (row) => row.relation_type,
    cell: (row) => <span className={styles.relationType}>{words(row.relation_type)}</span>,
  },
  {
    id: 'to',
    header: 'To',
    sortBy: (row) => names.get(row.to_entity_id) ?? null,
    cell: (row) => <EntityName id={row.to_entity_id} known={names.get(row.to_entity_id)} />,
  },
  {
    id: 'properties',
    header: 'Properties',
    minor: true,
    cell: (row) => (
      <span className={styles.oneLine}>
        {Object.entries(row.properties)
          .map(([name, value]) => `${name}: ${textOfValue(value)}`)
          .join(', ')}
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    minor: true,
    cell: (row) =>
      row.valid_to === null ? (
        <StatusPill tone="good">holds</StatusPill>
      ) : (
        <StatusPill tone="neutral">ended</StatusPill>
      ),
  },
  {
    id: 'since',
    header: 'Since',
    numeric: true,
    minor: true,
    sortBy: (row) => row.valid_from,
    cell: (row) => <RelativeTime iso={row.valid_from} />,
  },
];

interface RelationsTableProps {
  type: string;
  now: boolean;
  names: Names;
  onOpen: (id: string) => void;
  onClear: () => void;
}

export const RelationsTable = ({ type, now, names, onOpen, onClear }: RelationsTableProps) => (
  <DataTable
    caption="Relations"
    columns={columns(names)}
    rows={useRelations(type, now)}
    rowKey={(row) => row.id}
    onOpen={(row) => onOpen(row.id)}
    empty={
      <EmptyState
        icon={Spline}
        title={type === '' && !now ? 'Nothing is tied together yet' : 'No relation matches'}
        action={type === '' && !now ? undefined : <Button onClick={onClear}>Show all relations</Button>}
      >
        {type === '' && !now
          ? 'Open an entity and add a relation to another one, or tell an agent how two things are related.'
          : 'A relation type is compared as a whole, such as works_at.'}
      </EmptyState>
    }
  />
);

interface RelationDrawerProps {
  id: string;
  names: Names;
  onClose: () => void;
  onOpenEntity: (id: string) => void;
}

export const RelationDrawer = ({ id, names, onClose, onOpenEntity }: RelationDrawerProps) => {
  const { data, error, refetch } = useRelation(id);
  const mayWrite = useMay('memory:write');
  const mayShare = useMayShare();
  const mayChange = mayWrite && (data?.visibility === 'private' || mayShare);
  const end = (entityId: string) => (
    <button type="button" className={styles.link} onClick={() => onOpenEntity(entityId)}>
      <EntityName id={entityId} known={names.get(entityId)} />
    </button>
  );
  return (
    <Drawer
      open={id !== ''}
      onClose={onClose}
      title={data === undefined ? 'Relation' : words(data.relation_type)}
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton height="16rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className={styles.detail}>
          <dl className={styles.figures}>
            <dt>From</dt>
            <dd>{end(data.from_entity_id)}</dd>
            <dt>To</dt>
            <dd>{end(data.to_entity_id)}</dd>
            <dt>Known to</dt>
            <dd>
              <Badge tone={data.visibility === 'tenant' ? 'accent' : 'neutral'}>
                {data.visibility === 'tenant' ? 'organisation' : 'owner'}
              </Badge>
            </dd>
            <dt>Noted</dt>
            <dd>
              <RelativeTime iso={data.created_at} />
            </dd>
            <dt>Changed</dt>
            <dd>
              <RelativeTime iso={data.updated_at} />
            </dd>
            {!mayChange &&
              Object.entries(data.properties).map(([name, value]) => [
                <dt key={`${name}-name`}>{name}</dt>,
                <dd key={`${name}-value`}>{textOfValue(value)}</dd>,
              ])}
          </dl>
          {mayChange && <RelationEditor key={data.id} relation={data} onDone={onClose} />}
        </div>
      )}
    </Drawer>
  );
};
