import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { saveFile } from '../../lib/text.ts';
import styles from './admin.module.css';
import { useCreateMachineKey, useDeleteMachineKey, useMachineKeys } from './queries.ts';

const FOR_EVER_MS = 100 * 365 * 86_400_000;
/** The identity provider names a far day where there is no end. */
const isForEver = (iso: string): boolean => Date.parse(iso) - Date.now() > FOR_EVER_MS;

/** Keys of a service account. A new one goes into a file at once: it cannot be had again. */
export const MachineKeys = ({ userId, title = 'Machine keys' }: { userId: string; title?: ReactNode }) => {
  const { data, error, refetch } = useMachineKeys(userId);
  const create = useCreateMachineKey(userId);
  const remove = useDeleteMachineKey(userId);
  const toast = useToast();
  const [doomed, setDoomed] = useState<string | null>(null);
  return (
    <section className={styles.section} aria-label="Machine keys">
      <div className={styles.keyHead}>
        <h3>{title}</h3>
        <Button
          busy={create.isPending}
          onClick={() =>
            create.mutate(null, {
              onSuccess: ({ keyId, keyDetails }) => {
                saveFile(`machine-key-${keyId}.json`, 'application/json', atob(keyDetails));
                toast.done('The key file is saved by your browser; keep it, it cannot be had again');
              },
              onError: toast.failed,
            })
          }
        >
          New key file
        </Button>
      </div>
      {data === undefined ? (
        error === null ? (
          <Skeleton height="3rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : data.result.length === 0 ? (
        <p className={styles.sub}>No keys. Make one, and give the file to the service.</p>
      ) : (
        <ul className={styles.stack}>
          {data.result.map((key) => (
            <li key={key.id} className={styles.key}>
              <span className={styles.mono}>{key.id}</span>
              <span className={styles.sub}>
                {isForEver(key.expirationDate) ? (
                  'does not expire'
                ) : (
                  <>
                    expires <RelativeTime iso={key.expirationDate} />
                  </>
                )}
              </span>
              <Button kind="quiet" aria-label={`End key ${key.id}`} onClick={() => setDoomed(key.id)}>
                End
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={doomed !== null}
        onClose={() => setDoomed(null)}
        title="End this machine key?"
        message="The service that uses it is refused from then on. This cannot be undone."
        action="End key"
        busy={remove.isPending}
        onConfirm={() => {
          if (doomed === null) return;
          remove.mutate(doomed, {
            onSuccess: () => toast.done('The key has ended'),
            onError: toast.failed,
            onSettled: () => setDoomed(null),
          });
        }}
      />
    </section>
  );
};
