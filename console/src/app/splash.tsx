import type { ReactNode } from 'react';
import styles from './splash.module.css';

export const Mark = ({ size = 24 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className={styles.mark}>
    <path
      d="M16 4.5 27.5 12.9 23.1 26.4H8.9L4.5 12.9Z"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.6"
      strokeLinejoin="round"
    />
  </svg>
);

interface SplashProps {
  busy?: boolean;
  title?: string;
  message?: string;
  children?: ReactNode;
}

/** The whole window, before and after there is a session. */
export const Splash = ({ busy = false, title, message, children }: SplashProps) => (
  <main className={styles.splash}>
    <Mark size={36} />
    {busy && (
      <p role="status" className="visually-hidden">
        Signing in
      </p>
    )}
    {title !== undefined && <h1>{title}</h1>}
    {message !== undefined && <p>{message}</p>}
    {children}
  </main>
);
