import { Trash2 } from 'lucide-react';
import type { Conversation } from 'pentarch-sdk';
import { Button, IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { formatDateTime } from '../../lib/format.ts';
import { useShareLinks } from '../../lib/server-switches.ts';
import { type Audience, useShareActions, useShares } from './queries.ts';
import styles from './shares.module.css';

const AUDIENCES: readonly { value: Audience; label: string }[] = [
  { value: 'tenant', label: 'People of my organisation who have the link' },
  { value: 'link', label: 'Anybody who has the link' },
];
const TIMES = [
  { value: '1', label: 'For a day' },
  { value: '7', label: 'For a week' },
  { value: '30', label: 'For 30 days' },
];

const audienceOf = (value: FormDataEntryValue | null): Audience => (value === 'link' ? 'link' : 'tenant');

interface ShareDialogProps {
  /** null closes it. */
  conversation: Conversation | null;
  onClose: () => void;
}

/** The links that are there, each of which can be ended. */
const Shares = ({ conversation, onEnded }: { conversation: Conversation; onEnded: (id: string) => void }) => {
  const shares = useShares(conversation.id);
  const { revoke } = useShareActions(conversation);
  const toast = useToast();
  if (shares.data === undefined)
    return shares.error === null ? (
      <Skeleton height="2.5rem" />
    ) : (
      <ErrorState error={shares.error} onRetry={() => void shares.refetch()} />
    );
  if (shares.data.items.length === 0) return <p className={styles.quiet}>It is not shared yet.</p>;
  return (
    <ul className={styles.rows} aria-label="Shares">
      {shares.data.items.map((one) => (
        <li key={one.id} className={styles.row}>
          <span>
            {one.audience === 'link' ? 'Anybody with the link' : 'My organisation'}
            <span className={styles.quiet}>
              {' '}
              · shared {formatDateTime(one.created_at)} · until {formatDateTime(one.expires_at)}
            </span>
          </span>
          <IconButton
            label="End this share"
            icon={<Trash2 size={14} />}
            busy={revoke.isPending && revoke.variables === one.id}
            onClick={() =>
              revoke.mutate(one.id, {
                onSuccess: () => {
                  onEnded(one.id);
                  toast.done('Nobody can open that link any more');
                },
                onError: toast.failed,
              })
            }
          />
        </li>
      ))}
    </ul>
  );
};

export const ShareDialog = ({ conversation, onClose }: ShareDialogProps) => {
  const { share } = useShareActions(conversation);
  const links = useShareLinks();
  const close = (): void => {
    share.reset();
    onClose();
  };
  return (
    <Dialog
      open={conversation !== null}
      onClose={close}
      title="Share the conversation"
      description="Anyone who opens the link sees it as it is now. Later messages are not shared."
      actions={
        <Button kind="primary" type="submit" form="share" busy={share.isPending}>
          Make a link
        </Button>
      }
    >
      <Form
        id="share"
        error={share.error}
        fields={['audience', 'expires_at']}
        onSubmit={(values) =>
          share.mutate({
            audience: audienceOf(values.get('audience')),
            days: Number(values.get('days')),
          })
        }
      >
        {(fault) => (
          <>
            <Select
              label="Who can read it"
              name="audience"
              options={AUDIENCES.filter(({ value }) => links || value !== 'link')}
              fault={fault('audience')}
            />
            <Select
              label="How long"
              name="days"
              options={TIMES}
              defaultValue="7"
              fault={fault('expires_at')}
            />
          </>
        )}
      </Form>
      {share.data !== undefined && (
        <div className={styles.made} role="status">
          <span className={styles.quiet}>The link, shown this once:</span>
          <div className={styles.link}>
            <code>{share.data.url}</code>
            <CopyButton text={share.data.url} label="Copy link" />
          </div>
        </div>
      )}
      {conversation !== null && (
        <Shares
          conversation={conversation}
          onEnded={(id) => {
            if (share.data?.id === id) share.reset();
          }}
        />
      )}
    </Dialog>
  );
};
