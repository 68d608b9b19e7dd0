import { CircleAlert, type LucideIcon, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf, isUnanswered } from '../lib/errors.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import styles from './surface.module.css';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** What to do next, not only that nothing is here. */
  children: ReactNode;
  action?: ReactNode;
}

export const EmptyState = ({ icon: Icon, title, children, action }: EmptyStateProps) => (
  <div className={styles.state}>
    <Icon className={styles.stateIcon} size={28} strokeWidth={1.5} aria-hidden="true" />
    <h3>{title}</h3>
    <p>{children}</p>
    {action !== undefined && <div className={styles.stateActions}>{action}</div>}
  </div>
);

/** Any failed read: what it means, the request's id for the operator, and another try where that can help. */
export const ErrorState = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => {
  const { title, message, requestId, retry } = faultOf(error);
  const Icon = isUnanswered(error) ? WifiOff : CircleAlert;
  return (
    <div className={styles.state} role="alert">
      <Icon className={styles.stateIcon} size={28} strokeWidth={1.5} aria-hidden="true" />
      <h3>{title}</h3>
      <p>{message}</p>
      {requestId !== null && (
        <span className={styles.request}>
          Request {requestId} <CopyButton text={requestId} label="Copy request id" />
        </span>
      )}
      {retry && onRetry !== undefined && (
        <div className={styles.stateActions}>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
};

/** Stands where the content will be, in its size: nothing jumps. */
export const Skeleton = ({ width = '100%', height = '1rem' }: { width?: string; height?: string }) => (
  <span className={styles.skeleton} style={{ width, height }} aria-hidden="true" />
);
