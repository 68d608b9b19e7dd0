import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { Button, IconButton } from './button.tsx';
import styles from './float.module.css';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: string;
  children: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
  wide?: boolean;
  /** What has the focus at first, where that is not the first control. */
  focus?: RefObject<HTMLElement | null>;
}

const Frame = ({
  open,
  onClose,
  title,
  description,
  children,
  actions,
  focus,
  shape,
}: DialogProps & { shape: string }) => (
  <Base.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
    <Base.Portal>
      <Base.Backdrop className={styles.backdrop} />
      <Base.Popup className={shape} {...(focus === undefined ? {} : { initialFocus: focus })}>
        <div className={styles.head}>
          <div className={styles.headText}>
            <Base.Title>{title}</Base.Title>
            {description !== undefined && (
              <Base.Description className={styles.description}>{description}</Base.Description>
            )}
          </div>
          <Base.Close render={<IconButton plain label="Close" icon={<X size={16} />} />} />
        </div>
        {/* Reachable by keyboard, since it may scroll without holding anything to focus. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys */}
        <section className={styles.body} tabIndex={0} aria-label="Details">
          {children}
        </section>
        {actions !== undefined && <div className={styles.foot}>{actions}</div>}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);

/** Focus moves in and back out; Escape closes. */
export const Dialog = (props: DialogProps) => (
  <Frame {...props} shape={`${styles.dialog} ${props.wide === true ? styles.wide : ''}`} />
);

/** The details of one record, beside the list that it came from. Keep the open id in the address (useUrlState). */
export const Drawer = (props: DialogProps) => <Frame {...props} shape={`${styles.drawer}`} />;

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  /** A question: "Delete the key “ci”?" */
  title: string;
  /** What is lost, and whether it can be had back. */
  message: string;
  /** A verb: "Delete key". */
  action: string;
  busy?: boolean;
  onConfirm: () => void;
}

/** Before something that cannot be undone. */
export const ConfirmDialog = ({ open, onClose, title, message, action, busy, onConfirm }: ConfirmProps) => (
  <AlertDialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className={styles.backdrop} />
      <AlertDialog.Popup className={styles.dialog}>
        <div className={styles.head}>
          <div className={styles.headText}>
            <AlertDialog.Title>{title}</AlertDialog.Title>
            <AlertDialog.Description className={styles.description}>{message}</AlertDialog.Description>
          </div>
        </div>
        <div className={styles.foot}>
          <AlertDialog.Close render={<Button>Cancel</Button>} />
          <Button kind="danger" busy={busy ?? false} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  </AlertDialog.Root>
);
