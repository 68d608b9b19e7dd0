import { Switch } from '../../components/field.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { Panel } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { type DesktopNotices, setDesktopNotices, useDesktopNotices } from '../../lib/desktop-notices.ts';
import { useMay } from '../../lib/me.ts';
import { type Category, type Channel, useChannels, useSetChannel } from './queries.ts';
import styles from './settings.module.css';

const CATEGORIES: readonly { id: Category; label: string; about: string }[] = [
  { id: 'proposals', label: 'Proposals', about: 'One waits for votes, or was decided.' },
  { id: 'tasks', label: 'Tasks', about: 'One of yours ended or failed.' },
  { id: 'costs', label: 'Costs', about: 'A limit comes near or is reached.' },
  { id: 'documents', label: 'Documents', about: 'One is indexed, or could not be read.' },
  { id: 'agents', label: 'Agents', about: 'One changed its state.' },
  { id: 'system', label: 'System', about: 'What else the platform has to say.' },
];
const CHANNELS: readonly { id: Channel; label: string }[] = [
  { id: 'inbox', label: 'Inbox' },
  { id: 'email', label: 'E-mail' },
  { id: 'webhook', label: 'Webhooks' },
];

const HINTS: Readonly<Record<DesktopNotices, string>> = {
  on: 'While a tab of Pentarch is open and you look elsewhere.',
  off: 'While a tab of Pentarch is open and you look elsewhere. The browser asks you once.',
  blocked:
    'This browser blocks them for this address. Allow them in its settings of the site, then reload the page.',
  unsupported: 'This browser has none for this address: it needs https, or localhost.',
};

/** What the inbox gets is shown by the browser too; kept in this browser alone. */
const ThisBrowser = () => {
  const state = useDesktopNotices();
  const toast = useToast();
  return (
    <Panel title="This browser">
      <Switch
        label="Show notifications of the inbox on the desktop"
        hint={HINTS[state]}
        checked={state === 'on'}
        disabled={state === 'blocked' || state === 'unsupported'}
        onChange={(on) => void setDesktopNotices(on).catch(toast.failed)}
      />
    </Panel>
  );
};

export const Channels = () => {
  const { data, error, refetch } = useChannels();
  const set = useSetChannel();
  const toast = useToast();
  const mayWrite = useMay('notifications:write');
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
    return (
      <div className={styles.narrow}>
        <Skeleton height="32rem" />
      </div>
    );
  }
  return (
    <div className={styles.narrow}>
      <ThisBrowser />
      <Panel title="What reaches you, and how">
        <p className={styles.sub}>
          {data.email_available
            ? `E-mail goes to ${data.email}.`
            : 'This server has no mail server; its operator can set one with SMTP_URL.'}
        </p>
        {CATEGORIES.map((category) => (
          <section key={category.id} className={styles.category} aria-label={category.label}>
            <h3>{category.label}</h3>
            <p>{category.about}</p>
            <div className={styles.channels}>
              {CHANNELS.map((channel) => (
                <Switch
                  key={channel.id}
                  label={channel.label}
                  checked={data.categories[category.id][channel.id]}
                  disabled={!mayWrite || (channel.id === 'email' && !data.email_available)}
                  onChange={(on) =>
                    set.mutate({ category: category.id, channel: channel.id, on }, { onError: toast.failed })
                  }
                />
              ))}
            </div>
          </section>
        ))}
      </Panel>
    </div>
  );
};
