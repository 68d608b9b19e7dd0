import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import styles from './float.module.css';

/** A short word on hover and focus. Never the only place where something is said. */
export const Tooltip = ({ text, children }: { text: string; children: ReactElement }) => (
  <Base.Root>
    <Base.Trigger render={children} />
    <Base.Portal>
      <Base.Positioner sideOffset={6}>
        <Base.Popup className={styles.tooltip}>{text}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
