import { useNavigate } from '@tanstack/react-router';
import { Library, SearchX } from 'lucide-react';
import type { Document } from 'pentarch-sdk';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Input, Select } from '../../components/field.tsx';
import { Bytes, Count, RelativeTime } from '../../components/figures.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Badge, Panel } from '../../components/surface.tsx';
import styles from './knowledge.module.css';
import { type DocumentFilter, useDocuments } from './queries.ts';
import { labelOfType, TYPE_OPTIONS } from './types.ts';

const readersOf = ({ visibility, roles }: Document): string =>
  visibility === 'tenant' ? 'organisation' : visibility === 'role' ? roles.join(', ') : 'owner';

const COLUMNS: readonly Column<Document>[] = [
  {
    id: 'title',
    header: 'Title',
    cell: (row) => <span className={styles.title}>{row.title}</span>,
    sortBy: (row) => row.title,
  },
  { id: 'type', header: 'Type', cell: (row) => labelOfType(row.content_type), minor: true },
  {
    id: 'visibility',
    header: 'Read by',
    cell: (row) => <Badge>{readersOf(row)}</Badge>,
    minor: true,
  },
  {
    id: 'chunks',
    header: 'Passages',
    cell: (row) => <Count value={row.chunk_count} />,
    numeric: true,
    minor: true,
    sortBy: (row) => row.chunk_count,
  },
  {
    id: 'size',
    header: 'Size',
    cell: (row) => <Bytes size={row.size_bytes} />,
    numeric: true,
    sortBy: (row) => row.size_bytes,
  },
  {
    id: 'created',
    header: 'Added',
    cell: (row) => <RelativeTime iso={row.created_at} />,
    numeric: true,
    sortBy: (row) => row.created_at,
  },
];

interface DocumentListProps {
  filter: DocumentFilter;
  mayWrite: boolean;
  onFilter: (filter: DocumentFilter) => void;
}

export const DocumentList = ({ filter, mayWrite, onFilter }: DocumentListProps) => {
  const rows = useDocuments(filter);
  const navigate = useNavigate();
  const filtered = filter.q !== '' || filter.type !== '';
  return (
    <Panel title="Documents" flush>
      <div className={styles.filters}>
        <Input
          label="Title or file name"
          type="search"
          value={filter.q}
          onChange={(event) => onFilter({ ...filter, q: event.currentTarget.value })}
        />
        <Select
          label="Type"
          value={filter.type}
          options={TYPE_OPTIONS}
          onChange={(event) => onFilter({ ...filter, type: event.currentTarget.value })}
        />
      </div>
      <DataTable
        caption="Documents"
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => row.id}
        onOpen={(row) => void navigate({ to: `/knowledge/${row.id}` })}
        empty={
          filtered ? (
            <EmptyState
              icon={SearchX}
              title="No document matches"
              action={<Button onClick={() => onFilter({ q: '', type: '' })}>Show all documents</Button>}
            >
              Titles and file names were looked through. What stands inside is found under “Search passages”.
            </EmptyState>
          ) : (
            <EmptyState icon={Library} title="No documents yet">
              {mayWrite
                ? 'Drop a file above: it can be searched and cited as soon as it is ready.'
                : 'Documents that others share with your organisation appear here.'}
            </EmptyState>
          )
        }
      />
    </Panel>
  );
};
