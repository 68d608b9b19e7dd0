import type { ApiKey } from 'pentarch-sdk';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import styles from './settings.module.css';

export type Credential = ApiKey;

interface Actions {
  onDelete?: (row: Credential) => void;
  onRotate?: (row: Credential) => void;
}

/** What tokens and keys have in common; without actions for who may only look. */
export const credentialColumns = ({ onDelete, onRotate }: Actions): readonly Column<Credential>[] => [
  {
    id: 'name',
    header: 'Name',
    sortBy: (row) => row.name,
    cell: (row) => (
      <>
        {row.name}
        <span className={styles.sub}>
          <code className={styles.mono}>{row.hint}…</code>
        </span>
      </>
    ),
  },
  {
    id: 'used',
    header: 'Last used',
    numeric: true,
    sortBy: (row) => row.last_used_at,
    cell: (row) => (row.last_used_at === null ? 'never' : <RelativeTime iso={row.last_used_at} />),
  },
  {
    id: 'expires',
    header: 'Expires',
    numeric: true,
    sortBy: (row) => row.expires_at,
    cell: (row) => (row.expires_at === null ? 'never' : <RelativeTime iso={row.expires_at} />),
  },
  {
    id: 'created',
    header: 'Created',
    numeric: true,
    minor: true,
    sortBy: (row) => row.created_at,
    cell: (row) => <RelativeTime iso={row.created_at} />,
  },
  ...(onDelete === undefined && onRotate === undefined
    ? []
    : [
        {
          id: 'actions',
          header: 'Actions',
          numeric: true,
          cell: (row: Credential) => (
            <div className={styles.actions}>
              {onRotate !== undefined && (
                <Button kind="quiet" aria-label={`Rotate ${row.name}`} onClick={() => onRotate(row)}>
                  Rotate
                </Button>
              )}
              {onDelete !== undefined && (
                <Button kind="quiet" aria-label={`Revoke ${row.name}`} onClick={() => onDelete(row)}>
                  Revoke
                </Button>
              )}
            </div>
          ),
        },
      ]),
];
