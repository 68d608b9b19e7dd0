import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import styles from './shell.module.css';

const subscribe = (listener: () => void): (() => void) => {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
};

export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

export const OfflineBanner = () => (
  <div role="status">
    {!useOnline() && (
      <p className={styles.offline}>
        <WifiOff size={14} aria-hidden="true" /> You are offline. What you see may be old; it is read anew as
        soon as the connection is back.
      </p>
    )}
  </div>
);
