import { WifiOff } from 'lucide-react';
import { useConnectionState } from '../lib/connection.ts';
import styles from './shell.module.css';

const TEXTS = {
  answers: null,
  offline:
    'You are offline. What you see may be out of date; it will be refreshed when the connection is back.',
  silent:
    'The server is not responding. What you see may be out of date; it will be refreshed when the server responds.',
} as const;

export const OfflineBanner = () => {
  const text = TEXTS[useConnectionState()];
  return (
    <div role="status">
      {text !== null && (
        <p className={styles.offline}>
          <WifiOff size={14} aria-hidden="true" /> {text}
        </p>
      )}
    </div>
  );
};
