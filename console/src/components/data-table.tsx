import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import styles from './data-table.module.css';
import { type MoreRows, ShowMore } from './show-more.tsx';
import { ErrorState, Skeleton } from './states.tsx';

export interface Column<T> {
  id: string;
  header: string;
  cell: (row: T) => ReactNode;
  /** Figures: right-aligned, tabular. */
  numeric?: boolean;
  /** Left out on a phone. */
  minor?: boolean;
  /** Makes it sortable, among the rows that are loaded. */
  sortBy?: (row: T) => string | number | null;
}

/** Rows of one `useQuery`, or of `useCursorList` with all pages so far. */
export interface Rows<T> extends MoreRows {
  data: readonly T[] | undefined;
  /** How many there are in all; shown at the foot. */
  total?: number | undefined;
  retry: () => void;
}

interface DataTableProps<T> {
  /** Said to screen readers. */
  caption: string;
  columns: readonly Column<T>[];
  rows: Rows<T>;
  rowKey: (row: T) => string;
  /** Enter or a click opens the row; arrows move between rows. */
  onOpen?: (row: T) => void;
  /** An <EmptyState>. */
  empty: ReactNode;
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e'];

const compare = (a: string | number | null, b: string | number | null): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
};

const moveFocus = (event: KeyboardEvent<HTMLTableRowElement>): void => {
  const row = event.currentTarget;
  const next =
    event.key === 'ArrowDown'
      ? row.nextElementSibling
      : event.key === 'ArrowUp'
        ? row.previousElementSibling
        : null;
  if (next instanceof HTMLElement) {
    event.preventDefault();
    next.focus();
  }
};

/** One table for all lists: sorting, more pages on demand, and what is shown while loading, when empty, when failed. */
export const DataTable = <T,>({ caption, columns, rows, rowKey, onOpen, empty }: DataTableProps<T>) => {
  const [sort, setSort] = useState<{ id: string; down: boolean } | null>(null);
  const { data, error } = rows;
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={rows.retry} />;
  if (data?.length === 0) return empty;

  const by = columns.find((column) => column.id === sort?.id)?.sortBy;
  const sorted =
    data === undefined || by === undefined || sort === null
      ? data
      : data.toSorted((a, b) => compare(by(a), by(b)) * (sort.down ? -1 : 1));
  const classOf = (column: Column<T>): string =>
    `${column.numeric === true ? styles.end : ''} ${column.minor === true ? styles.minor : ''}`;
  const ariaSort = (column: Column<T>): 'ascending' | 'descending' | 'none' | undefined => {
    if (column.sortBy === undefined) return undefined;
    if (sort?.id !== column.id) return 'none';
    return sort.down ? 'descending' : 'ascending';
  };

  return (
    <>
      <div className={styles.scroll}>
        <table className={styles.table} aria-busy={data === undefined}>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.id} scope="col" className={classOf(column)} aria-sort={ariaSort(column)}>
                  {column.sortBy === undefined ? (
                    column.header
                  ) : (
                    <button
                      type="button"
                      className={styles.sort}
                      onClick={() => setSort({ id: column.id, down: sort?.id === column.id && !sort.down })}
                    >
                      {column.header}
                      {sort?.id === column.id &&
                        (sort.down ? <ArrowDown size={12} /> : <ArrowUp size={12} />)}
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted === undefined
              ? SKELETON_ROWS.map((key) => (
                  <tr key={key}>
                    {columns.map((column) => (
                      <td key={column.id} className={classOf(column)}>
                        <Skeleton />
                      </td>
                    ))}
                  </tr>
                ))
              : sorted.map((row) => (
                  <tr
                    key={rowKey(row)}
                    {...(onOpen === undefined
                      ? {}
                      : {
                          className: styles.row,
                          tabIndex: 0,
                          onClick: () => onOpen(row),
                          onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) => {
                            if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
                            else moveFocus(event);
                          },
                        })}
                  >
                    {columns.map((column) => (
                      <td key={column.id} className={classOf(column)}>
                        {column.cell(row)}
                      </td>
                    ))}
                  </tr>
                ))}
          </tbody>
        </table>
      </div>
      {data !== undefined && (rows.total !== undefined || rows.hasMore === true) && (
        <div className={styles.foot}>
          <span className="number">
            {data.length} of {rows.total ?? 'more'}
          </span>
          <ShowMore rows={rows} />
        </div>
      )}
    </>
  );
};
