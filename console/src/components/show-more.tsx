import { faultOf } from '../lib/errors.ts';
import { Button } from './button.tsx';
import styles from './surface.module.css';

/** The part of a list (`useCursorList`) that says whether there is more. */
export interface MoreRows {
  error: unknown;
  hasMore?: boolean;
  loadingMore?: boolean;
  /** Further rows could not be read; those so far stand. */
  moreFailed?: boolean;
  loadMore?: () => void;
}

/** Below the rows of a list: the next ones on demand, or why they did not come. */
export const ShowMore = ({ rows, label = 'Show more' }: { rows: MoreRows; label?: string }) => {
  if (rows.hasMore !== true) return null;
  const failed = rows.moreFailed === true && rows.loadingMore !== true;
  return (
    <div className={styles.showMore}>
      <Button busy={rows.loadingMore ?? false} onClick={rows.loadMore}>
        {failed ? 'Try again' : label}
      </Button>
      {failed && (
        <span role="alert" className={styles.moreFailed}>
          What comes next could not be read. {faultOf(rows.error).title}.
        </span>
      )}
    </div>
  );
};
