import { Webhook as WebhookIcon } from 'lucide-react';
import type { CreateWebhookRequest, Webhook } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Input } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Panel, StatusPill } from '../../components/surface.tsx';
import { useMay } from '../../lib/me.ts';
import { textOf } from '../../lib/text.ts';
import styles from './admin.module.css';
import { useCreateWebhook, useWebhooks } from './queries.ts';
import { useAdminState } from './state.ts';
import { eventsText, WebhookDrawer } from './webhook-drawer.tsx';

type EventName = CreateWebhookRequest['events'][number];
const EVENTS: readonly EventName[] = [
  '*',
  'conversation.completed',
  'message.created',
  'proposal.created',
  'proposal.decided',
  'task.completed',
  'task.failed',
  'document.indexed',
  'document.failed',
  'cost.alert',
  'cost.limit_reached',
  'agent.state_changed',
  'user.created',
  'notification',
];
const FORM = 'new-webhook';

const NewWebhook = ({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) => {
  const create = useCreateWebhook();
  const [events, setEvents] = useState<readonly EventName[]>(['conversation.completed']);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="New webhook"
      description="Each event is posted to the address, signed by the Standard Webhooks scheme."
      actions={
        <Button
          type="submit"
          form={FORM}
          kind="primary"
          busy={create.isPending}
          disabled={events.length === 0}
        >
          Create webhook
        </Button>
      }
    >
      <Form
        id={FORM}
        error={create.error}
        fields={['url', 'description']}
        onSubmit={(values) =>
          create.mutate(
            {
              url: textOf(values, 'url'),
              description: textOf(values, 'description') || null,
              events: [...events],
            },
            { onSuccess: ({ secret }) => onMade(secret) },
          )
        }
      >
        {(fault) => (
          <>
            <Input
              label="Address"
              name="url"
              type="url"
              placeholder="https://"
              hint="A public HTTPS address."
              fault={fault('url')}
            />
            <Input label="Description" name="description" fault={fault('description')} />
            <fieldset className={styles.choices}>
              <legend>Events</legend>
              {EVENTS.map((event) => (
                <Checkbox
                  key={event}
                  label={event === '*' ? 'all events' : event}
                  checked={events.includes(event)}
                  onChange={(on) =>
                    setEvents(on ? [...events, event] : events.filter((one) => one !== event))
                  }
                />
              ))}
            </fieldset>
          </>
        )}
      </Form>
    </Dialog>
  );
};

export const StateOf = ({ hook }: { hook: Webhook }) => (
  <StatusPill
    tone={hook.status === 'active' ? 'good' : hook.disabled_reason === 'manual' ? 'neutral' : 'bad'}
  >
    {hook.status}
    {hook.disabled_reason !== null && ` (${hook.disabled_reason})`}
  </StatusPill>
);

export const Webhooks = () => {
  const rows = useWebhooks();
  const [state, setState] = useAdminState();
  const mayManage = useMay('webhooks:manage');
  const [asking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const button = mayManage && (
    <Button kind="primary" onClick={() => setAsking(true)}>
      New webhook
    </Button>
  );
  return (
    <>
      <Panel flush title="Webhooks" actions={rows.data?.length === 0 ? undefined : button}>
        <DataTable
          caption="Webhooks"
          rows={rows}
          rowKey={(row) => row.id}
          onOpen={(row) => setState({ open: row.id })}
          columns={[
            {
              id: 'url',
              header: 'Address',
              sortBy: (row) => row.url,
              cell: (row) => (
                <>
                  <span className={styles.mono}>{row.url}</span>
                  <span className={styles.sub}>{row.description ?? eventsText(row.events)}</span>
                </>
              ),
            },
            { id: 'status', header: 'Status', cell: (row) => <StateOf hook={row} /> },
            {
              id: 'created',
              header: 'Created',
              numeric: true,
              minor: true,
              cell: (row) => <RelativeTime iso={row.created_at} />,
            },
          ]}
          empty={
            <EmptyState icon={WebhookIcon} title="No webhooks" action={button}>
              A webhook tells another system of answers, proposals, tasks and costs as they happen.
            </EmptyState>
          }
        />
      </Panel>
      {asking && (
        <NewWebhook
          onClose={() => setAsking(false)}
          onMade={(made) => {
            setAsking(false);
            setSecret(made);
          }}
        />
      )}
      <WebhookDrawer
        hook={rows.data?.find((one) => one.id === state.open)}
        onClose={() => setState({ open: undefined })}
        onSecret={setSecret}
      />
      <SecretOnce
        secret={secret}
        title="Signing secret"
        about="The receiver checks signatures with it. Copy it now: it is shown this once. After a rotation the old one signs along for a day."
        label="Signing secret"
        onClose={() => setSecret(null)}
      />
    </>
  );
};
