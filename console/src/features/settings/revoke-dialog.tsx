import { ConfirmDialog } from '../../components/dialog.tsx';
import { useToast } from '../../components/toast.tsx';
import type { Credential } from './credential-columns.tsx';

interface RevokeDialogProps {
  /** How the credential is called: key, token. */
  what: string;
  doomed: Credential | null;
  remove: {
    isPending: boolean;
    mutate(
      id: string,
      then: { onSuccess: () => void; onError: (error: Error) => void; onSettled: () => void },
    ): void;
  };
  onClose: () => void;
}

/** Asks before a credential is ended, ends it, and tells how that went. */
export const RevokeDialog = ({ what, doomed, remove, onClose }: RevokeDialogProps) => {
  const toast = useToast();
  return (
    <ConfirmDialog
      open={doomed !== null}
      onClose={onClose}
      title={`Revoke the ${what} “${doomed?.name ?? ''}”?`}
      message="What uses it is refused from then on. This cannot be undone."
      action={`Revoke ${what}`}
      busy={remove.isPending}
      onConfirm={() => {
        if (doomed === null) return;
        remove.mutate(doomed.id, {
          onSuccess: () =>
            toast.done(`${what[0]?.toUpperCase()}${what.slice(1)} “${doomed.name}” is revoked`),
          onError: toast.failed,
          onSettled: onClose,
        });
      }}
    />
  );
};
