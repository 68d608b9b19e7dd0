import { SearchX, Waypoints } from 'lucide-react';
import type { MemoryEntity } from 'pentarch-sdk';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Count, Percent, RelativeTime } from '../../components/figures.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Badge } from '../../components/surface.tsx';
import { kindColour } from './colours.ts';
import styles from './memory.module.css';
import { useEntities } from './queries.ts';
import { holds, type TypeCount } from './shapes.ts';

const newestFact = (row: MemoryEntity): string => row.observations.findLast(holds)?.text ?? '';

const columns = (hueOf: ReadonlyMap<string, number>, degrees: ReadonlyMap<string, number>) => {
  const list: readonly Column<MemoryEntity>[] = [
    {
      id: 'name',
      header: 'Name',
      sortBy: (row) => row.name,
      cell: (row) => (
        <span className={styles.nameCell}>
          <span
            className={styles.swatch}
            style={{ background: kindColour(hueOf.get(row.entity_type) ?? 0) }}
            aria-hidden="true"
          />
          <bdi className={styles.name}>{row.name}</bdi>
        </span>
      ),
    },
    { id: 'type', header: 'Type', sortBy: (row) => row.entity_type, cell: (row) => row.entity_type },
    {
      id: 'fact',
      header: 'Newest fact',
      minor: true,
      cell: (row) => <span className={styles.oneLine}>{newestFact(row)}</span>,
    },
    {
      id: 'facts',
      header: 'Facts',
      numeric: true,
      minor: true,
      sortBy: (row) => row.observations.filter(holds).length,
      cell: (row) => <Count value={row.observations.filter(holds).length} />,
    },
    {
      id: 'relations',
      header: 'Relations',
      numeric: true,
      minor: true,
      sortBy: (row) => degrees.get(row.id) ?? null,
      cell: (row) => <Count value={degrees.get(row.id) ?? null} />,
    },
    {
      id: 'importance',
      header: 'Importance',
      numeric: true,
      minor: true,
      sortBy: (row) => row.importance,
      cell: (row) => <Percent share={row.importance} />,
    },
    {
      id: 'visibility',
      header: 'Known to',
      minor: true,
      cell: (row) => (
        <Badge tone={row.visibility === 'tenant' ? 'accent' : 'neutral'}>
          {row.visibility === 'tenant' ? 'organisation' : 'owner'}
        </Badge>
      ),
    },
    {
      id: 'updated',
      header: 'Changed',
      numeric: true,
      sortBy: (row) => row.updated_at,
      cell: (row) => <RelativeTime iso={row.updated_at} />,
    },
  ];
  return list;
};

interface EntitiesTableProps {
  q: string;
  type: string;
  types: readonly TypeCount[];
  /** Relations that hold, of the entities that the graph has. */
  degrees: ReadonlyMap<string, number>;
  onOpen: (id: string) => void;
  onClear: () => void;
  /** What to do where there is nothing at all. */
  start: ReactNode;
}

export const EntitiesTable = ({ q, type, types, degrees, onOpen, onClear, start }: EntitiesTableProps) => {
  const rows = useEntities(q, type);
  const hueOf = new Map(types.map((one) => [one.type, one.hue]));
  return (
    <DataTable
      caption="Entities"
      columns={columns(hueOf, degrees)}
      rows={rows}
      rowKey={(row) => row.id}
      onOpen={(row) => onOpen(row.id)}
      empty={
        q !== '' || type !== '' ? (
          <EmptyState
            icon={SearchX}
            title="Nothing is remembered of this"
            action={<Button onClick={onClear}>Show all entities</Button>}
          >
            Names and facts were looked through, in any case. Try a shorter word.
          </EmptyState>
        ) : (
          <Nothing start={start} />
        )
      }
    />
  );
};

/** Of the whole memory, on every tab. */
export const Nothing = ({ start }: { start: ReactNode }) => (
  <EmptyState icon={Waypoints} title="Nothing is remembered yet" action={start}>
    {start === undefined
      ? 'What agents learn in the chats of your organisation, and share with it, appears here.'
      : 'Tell the agents about yourself and your work in a chat, and what they keep appears here. You can also enter it, or import the memory of another program.'}
  </EmptyState>
);
