import { CircleAlert } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { faultOf, isUnanswered } from '../lib/errors.ts';
import { useFailedReads } from '../lib/failed-reads.ts';
import styles from './shell.module.css';

/** Above every page: part of it could not be read. Says what is missing and why; the rest stands below as ever. */
export const PartialBanner = () => {
  const failed = useFailedReads();
  if (failed === null) return null;
  const { title, message, requestId, retry } = faultOf(failed.error);
  const parts = [
    ...(failed.missing.length > 0 ? [`Missing here: ${failed.missing.join(', ')}.`] : []),
    ...(failed.isOld ? ['Some of what is shown could not be refreshed and may be out of date.'] : []),
  ];
  return (
    <div role="alert" className={styles.partial}>
      <CircleAlert size={14} aria-hidden="true" />
      <p>
        <strong>{parts.join(' ')}</strong>{' '}
        {isUnanswered(failed.error) ? 'It is read as soon as the server answers.' : `${title}: ${message}`}{' '}
        {requestId !== null && (
          <span className={styles.partialRequest}>
            Request {requestId} <CopyButton text={requestId} label="Copy request id" />
          </span>
        )}
      </p>
      {retry && (
        <Button busy={failed.isReading} onClick={failed.retry}>
          Try again
        </Button>
      )}
    </div>
  );
};
