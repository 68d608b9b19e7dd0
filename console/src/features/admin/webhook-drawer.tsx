import { Send } from 'lucide-react';
import type { Webhook, WebhookDelivery, WebhookDeliveryDetail } from 'pentarch-sdk';
import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ConfirmDialog, Drawer } from '../../components/dialog.tsx';
import { Switch } from '../../components/field.tsx';
import { Duration, RelativeTime } from '../../components/figures.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { StatusPill, type Tone } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { formatDateTime } from '../../lib/format.ts';
import { useMay } from '../../lib/me.ts';
import styles from './admin.module.css';
import { EventName } from './event-name.tsx';
import {
  useDeleteWebhook,
  useDeliveries,
  useDelivery,
  useRedeliver,
  useRotateSecret,
  useTestWebhook,
  useUpdateWebhook,
} from './queries.ts';

const TONES: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  pending: 'accent',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

const DeliveryStatus = ({ delivery }: { delivery: Pick<WebhookDelivery, 'status' | 'attempts'> }) => (
  <StatusPill tone={TONES[delivery.status]}>
    {delivery.status === 'pending' && delivery.attempts > 0 ? 'trying again' : delivery.status}
  </StatusPill>
);

const CANCELLED: Readonly<Record<NonNullable<WebhookDelivery['cancelled_reason']>, string>> = {
  switched_off: 'The webhook was switched off before it was sent.',
  not_allowed: 'The webhook may not read the record that the event is about.',
};

/** Why a webhook is off, and what switching it on does. */
const OFF: Readonly<Record<NonNullable<Webhook['disabled_reason']>, string>> = {
  gone: 'Switched off: the receiver wants no more.',
  failing: 'Switched off: nothing could be delivered for five days.',
  manual: 'Switched off by hand.',
  key_deleted:
    'Switched off: the key it delivered for has been deleted. If you switch it on, it will deliver what you are allowed to read as well.',
  account_inactive:
    'Switched off: the account it delivered for can no longer act. If you switch it on, it will deliver what you are allowed to read as well.',
};

const wasTaken = ({ response }: WebhookDeliveryDetail['log'][number]): boolean =>
  response !== null && response.status >= 200 && response.status < 300;

/** As they stand in a request. */
const headerLines = (headers: Readonly<Record<string, unknown>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className={styles.part}>
    <h4>{title}</h4>
    {children}
  </div>
);

export const eventsText = (events: readonly string[]): string =>
  events.includes('*') ? 'all events' : events.join(', ');

interface DeliveryProps {
  hookId: string;
  id: string;
  onBack: () => void;
}

/** One delivery: what was sent, and what came back on each attempt. */
const Delivery = ({ hookId, id, onBack }: DeliveryProps) => {
  const { data, error, refetch } = useDelivery(hookId, id);
  const redeliver = useRedeliver(hookId);
  const toast = useToast();
  const mayManage = useMay('webhooks:manage');
  return (
    <section className={styles.stack} aria-label="Delivery">
      <div className={styles.start}>
        <Button onClick={onBack}>All deliveries</Button>
        {mayManage && (
          <Button
            busy={redeliver.isPending}
            onClick={() =>
              redeliver.mutate(id, {
                onSuccess: () => toast.done('It is sent again'),
                onError: toast.failed,
              })
            }
          >
            Redeliver
          </Button>
        )}
      </div>
      {data === undefined ? (
        error === null ? (
          <Skeleton height="20rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <div className={styles.start}>
            <h3>{data.event}</h3>
            <DeliveryStatus delivery={data} />
          </div>
          {data.next_attempt_at !== null && (
            <p className={styles.sub}>
              {data.log.length === 0 ? 'First' : 'Next'} attempt: {formatDateTime(data.next_attempt_at)}
            </p>
          )}
          {data.cancelled_reason !== null && <p className={styles.sub}>{CANCELLED[data.cancelled_reason]}</p>}
          <Part title="Request body">
            {data.request_body === undefined ? (
              <p className={styles.sub}>Not shown: {data.body_withheld}.</p>
            ) : (
              <Code value={data.request_body} copy="request body" />
            )}
          </Part>
          {data.log.map((attempt) => (
            <section key={attempt.attempted_at} className={styles.attempt} aria-label="Attempt">
              <div className={styles.attemptHead}>
                <StatusPill tone={wasTaken(attempt) ? 'good' : 'bad'}>
                  {attempt.response === null ? 'no answer' : `HTTP ${attempt.response.status}`}
                </StatusPill>
                <RelativeTime iso={attempt.attempted_at} />
                <Duration ms={attempt.duration_ms} />
              </div>
              {attempt.error !== null && <p className={styles.fault}>{attempt.error}</p>}
              <Part title="Request headers">
                <Code value={headerLines(attempt.request.headers)} />
              </Part>
              {attempt.response !== null && (
                <>
                  <Part title="Response headers">
                    <Code value={headerLines(attempt.response.headers)} />
                  </Part>
                  <Part title="Response body">
                    {attempt.response.body === '' ? (
                      <p className={styles.sub}>
                        {data.body_withheld === undefined ? 'It was empty.' : 'Not shown.'}
                      </p>
                    ) : (
                      <Code value={attempt.response.body} copy="response body" />
                    )}
                  </Part>
                </>
              )}
            </section>
          ))}
        </>
      )}
    </section>
  );
};

const Deliveries = ({ hookId, onOpen }: { hookId: string; onOpen: (id: string) => void }) => {
  const rows = useDeliveries(hookId);
  return (
    <section className={styles.section} aria-label="Deliveries">
      <h3>Deliveries</h3>
      <DataTable
        caption="Deliveries"
        rows={rows}
        rowKey={(row) => row.id}
        onOpen={(row) => onOpen(row.id)}
        columns={[
          { id: 'event', header: 'Event', cell: (row) => <EventName name={row.event} /> },
          {
            id: 'status',
            header: 'Status',
            cell: (row) => <DeliveryStatus delivery={row} />,
          },
          { id: 'code', header: 'HTTP', numeric: true, cell: (row) => row.response_status ?? '–' },
          { id: 'time', header: 'When', numeric: true, cell: (row) => <RelativeTime iso={row.created_at} /> },
        ]}
        empty={
          <EmptyState icon={Send} title="Nothing was sent yet">
            Send a test event to see what the receiver answers.
          </EmptyState>
        }
      />
    </section>
  );
};

interface WebhookDrawerProps {
  hook: Webhook | undefined;
  onClose: () => void;
  /** A new signing secret, to be shown once. */
  onSecret: (secret: string) => void;
}

const Content = ({ hook, onClose, onSecret }: WebhookDrawerProps & { hook: Webhook }) => {
  const test = useTestWebhook(hook.id);
  const rotate = useRotateSecret(hook.id);
  const update = useUpdateWebhook(hook.id);
  const remove = useDeleteWebhook(hook.id);
  const toast = useToast();
  const mayManage = useMay('webhooks:manage');
  const [delivery, setDelivery] = useState<string | null>(null);
  const [deleting, setDeleting] = useState(false);
  if (delivery !== null) return <Delivery hookId={hook.id} id={delivery} onBack={() => setDelivery(null)} />;
  return (
    <div className={styles.stack}>
      <p className={styles.sub}>{eventsText(hook.events)}</p>
      {mayManage && (
        <>
          <Switch
            label="Active"
            {...(hook.disabled_reason === null ? {} : { hint: OFF[hook.disabled_reason] })}
            checked={hook.status === 'active'}
            onChange={(on) =>
              update.mutate({ status: on ? 'active' : 'disabled' }, { onError: toast.failed })
            }
          />
          <div className={styles.start}>
            <Button
              busy={test.isPending}
              onClick={() =>
                test.mutate(null, { onSuccess: (sent) => setDelivery(sent.id), onError: toast.failed })
              }
            >
              Send test
            </Button>
            <Button
              busy={rotate.isPending}
              onClick={() =>
                rotate.mutate(null, { onSuccess: ({ secret }) => onSecret(secret), onError: toast.failed })
              }
            >
              Rotate secret
            </Button>
            <Button kind="danger" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </div>
        </>
      )}
      <Deliveries hookId={hook.id} onOpen={setDelivery} />
      <ConfirmDialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title="Delete this webhook?"
        message="Its log of deliveries goes with it. This cannot be undone."
        action="Delete webhook"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(null, {
            onSuccess: () => {
              toast.done('The webhook is deleted');
              onClose();
            },
            onError: toast.failed,
          })
        }
      />
    </div>
  );
};

export const WebhookDrawer = (props: WebhookDrawerProps) => (
  <Drawer open={props.hook !== undefined} onClose={props.onClose} title={props.hook?.url ?? 'Webhook'}>
    {props.hook !== undefined && <Content key={props.hook.id} {...props} hook={props.hook} />}
  </Drawer>
);
