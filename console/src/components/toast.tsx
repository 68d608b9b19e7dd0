import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf } from '../lib/errors.ts';
import { IconButton } from './button.tsx';
import styles from './float.module.css';

const FAILED_MS = 20_000;

/** What happened, said once and by the way. `const toast = useToast(); toast.done('Saved'); toast.failed(error)`. */
export const useToast = () => {
  const { add } = Toast.useToastManager();
  return {
    done: (text: string): void => void add({ title: text, type: 'good', timeout: 5_000 }),
    /** Long enough to be read, and for as long as the pointer or the focus is on it. */
    failed: (error: unknown): void => {
      const { title, message, requestId } = faultOf(error);
      const request = requestId === null ? '' : ` (request ${requestId})`;
      add({ title, description: `${message}${request}`, type: 'bad', priority: 'high', timeout: FAILED_MS });
    },
  };
};

const List = () => {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast} swipeDirection="right">
      <div className={styles.toastText}>
        <Toast.Title className={styles.toastTitle} />
        <Toast.Description />
      </div>
      <Toast.Close render={<IconButton label="Close message" icon={<X size={14} />} />} />
    </Toast.Root>
  ));
};

export const Toasts = ({ children }: { children: ReactNode }) => (
  <Toast.Provider>
    {children}
    <Toast.Portal>
      <Toast.Viewport className={styles.toasts}>
        <List />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);
