import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import styles from './secret-once.module.css';

interface SecretOnceProps {
  /** null closes it, and forgets the secret. */
  secret: string | null;
  /** "Token “ci” is made". */
  title: string;
  /** What it is for, and that it cannot be had again. */
  about: string;
  /** Names the value: "Token", "Signing secret", "Invitation link". */
  label: string;
  onClose: () => void;
}

/** A secret that the API hands out this once. It lives in the state of whoever shows it, and nowhere else. */
export const SecretOnce = ({ secret, title, about, label, onClose }: SecretOnceProps) => (
  <Dialog
    open={secret !== null}
    onClose={onClose}
    title={title}
    description={about}
    actions={
      <Button kind="primary" onClick={onClose}>
        I have copied it
      </Button>
    }
  >
    <span className={styles.label}>{label}</span>
    <div className={styles.secret}>
      <code>{secret}</code>
      <CopyButton text={secret ?? ''} label={`Copy ${label.toLowerCase()}`} />
    </div>
  </Dialog>
);
