import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';
import { Tooltip } from './tooltip.tsx';

export type ButtonKind = 'primary' | 'normal' | 'quiet' | 'danger';

interface ButtonProps extends ComponentProps<'button'> {
  /** One `primary` per view; `danger` only where something is lost. */
  kind?: ButtonKind;
  /** Shows that it works, and takes no second press. */
  busy?: boolean;
}

const classOf = (kind: ButtonKind, more = ''): string =>
  `${styles.button} ${kind === 'normal' ? '' : styles[kind]} ${more}`;

export const Button = ({ kind = 'normal', busy = false, children, className, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    disabled={rest.disabled === true || busy}
    aria-busy={busy || undefined}
    className={classOf(kind, className)}
  >
    {busy && <span className={styles.spinner} aria-hidden="true" />}
    {children}
  </button>
);

interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  /** Says what it does; also the tooltip. */
  label: string;
  icon: ReactNode;
  /** Without the tooltip, which would take the first Escape for itself: for buttons that every dialog has. */
  plain?: boolean;
}

export const IconButton = ({
  label,
  icon,
  plain = false,
  kind = 'quiet',
  busy = false,
  className,
  ...rest
}: IconButtonProps) => {
  const button = (
    <button
      type="button"
      aria-label={label}
      {...rest}
      disabled={rest.disabled === true || busy}
      className={classOf(kind, `${styles.icon} ${className ?? ''}`)}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : icon}
    </button>
  );
  return plain ? button : <Tooltip text={label}>{button}</Tooltip>;
};

/** Looks of a button for links: `<Link className={buttonClass('primary')}>`. */
export const buttonClass = (kind: ButtonKind = 'normal'): string => classOf(kind);
