import { Link } from '@tanstack/react-router';
import { Check, CheckCheck, Inbox as InboxIcon } from 'lucide-react';
import type { Notification } from 'pentarch-sdk';
import { Button, IconButton } from '../../components/button.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Badge, Panel, Segments, StatusPill, type Tone } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay } from '../../lib/me.ts';
import { noticeLinkOf } from '../../lib/notice-link.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { useInbox, useRead, useReadAll } from './queries.ts';
import styles from './settings.module.css';

type Show = 'all' | 'unread';
const parse = (raw: Readonly<Record<string, unknown>>): { show: Show } => ({
  show: raw.show === 'unread' ? 'unread' : 'all',
});
const SHOWS: readonly { value: Show; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'unread', label: 'Unread' },
];
const TONES: Readonly<Record<'info' | 'warning' | 'critical', Tone>> = {
  info: 'neutral',
  warning: 'warn',
  critical: 'bad',
};

/** Leads to what it tells of; who follows it has read it. */
const NoticeTitle = ({ notice, onFollow }: { notice: Notification; onFollow: () => void }) => {
  const link = noticeLinkOf(notice);
  return (
    <h3>
      {link === null ? (
        notice.title
      ) : (
        <Link to={link.to} search={link.search} onClick={onFollow}>
          {notice.title}
        </Link>
      )}
    </h3>
  );
};

const List = ({ show }: { show: Show }) => {
  const inbox = useInbox(show === 'unread');
  const read = useRead();
  const toast = useToast();
  const mayWrite = useMay('notifications:write');
  if (inbox.data === undefined) {
    if (inbox.error !== null) return <ErrorState error={inbox.error} onRetry={inbox.retry} />;
    return (
      <ul className={styles.inbox}>
        {['a', 'b', 'c'].map((key) => (
          <li key={key}>
            <Skeleton height="3.5rem" />
          </li>
        ))}
      </ul>
    );
  }
  if (inbox.data.length === 0) {
    return (
      <EmptyState icon={InboxIcon} title={show === 'unread' ? 'Everything is read' : 'Nothing yet'}>
        You are told here when a task ends, a proposal waits for votes or a cost limit comes near. What
        reaches you is chosen under Notifications.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className={styles.inbox}>
        {inbox.data.map((one) => (
          <li key={one.id} data-unread={!one.read || undefined}>
            <div className={styles.note}>
              <NoticeTitle
                notice={one}
                onFollow={() => (one.read || !mayWrite ? undefined : read.mutate(one.id))}
              />
              <p>{one.body}</p>
              <div className={styles.noteMeta}>
                <StatusPill tone={TONES[one.level]}>{one.level}</StatusPill>
                <Badge>{one.category}</Badge>
                <RelativeTime iso={one.created_at} />
                {!one.read && <Badge tone="accent">unread</Badge>}
              </div>
            </div>
            {!one.read && mayWrite && (
              <IconButton
                label={`Mark “${one.title}” as read`}
                icon={<Check size={15} />}
                onClick={() => read.mutate(one.id, { onError: toast.failed })}
              />
            )}
          </li>
        ))}
      </ul>
      {inbox.hasMore && (
        <div className={styles.more}>
          <ShowMore rows={inbox} />
        </div>
      )}
    </>
  );
};

export const Inbox = () => {
  const [{ show }, setState] = useUrlState(parse);
  const readAll = useReadAll();
  const toast = useToast();
  const mayWrite = useMay('notifications:write');
  useLiveRefresh(['notification'], ['settings', 'notifications']);
  return (
    <Panel
      flush
      title="Inbox"
      actions={
        <div className={styles.actions}>
          <Segments
            label="Which notifications"
            value={show}
            options={SHOWS}
            onChange={(next) => setState({ show: next })}
          />
          {mayWrite && (
            <Button
              busy={readAll.isPending}
              onClick={() =>
                readAll.mutate(undefined, {
                  onSuccess: () => toast.done('All are marked as read'),
                  onError: toast.failed,
                })
              }
            >
              <CheckCheck size={15} aria-hidden="true" />
              Mark all as read
            </Button>
          )}
        </div>
      }
    >
      <List show={show} />
    </Panel>
  );
};
