import { Skeleton } from '../components/states.tsx';
import styles from './shell.module.css';

/** While a page's code loads. */
export const PageSkeleton = () => (
  <div className={styles.skeleton} role="status" aria-label="Loading">
    <Skeleton width="12rem" height="1.6rem" />
    <Skeleton width="24rem" />
    <Skeleton height="16rem" />
  </div>
);
