import { Fragment } from 'react';
import styles from './admin.module.css';

/** `proposal.created`: breaks at its dots and underscores, never within a word. */
export const EventName = ({ name }: { name: string }) => (
  <code className={styles.event}>
    {name.split(/(?<=[._])/).map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one name, which stay
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </code>
);
