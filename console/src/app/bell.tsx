import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bell as BellIcon } from 'lucide-react';
import { useApi } from '../lib/api.ts';
import { useLiveRefresh } from '../lib/live.ts';
import { useMay } from '../lib/me.ts';
import styles from './shell.module.css';

export const MOST_SHOWN = 99;

/** How many notifications are unread, kept up to date; leads to the inbox. */
export const Bell = ({ onFollow }: { onFollow?: () => void }) => {
  const may = useMay('notifications:read');
  return may ? <Counted {...(onFollow ? { onFollow } : {})} /> : null;
};

const Counted = ({ onFollow }: { onFollow?: () => void }) => {
  const api = useApi();
  const { data } = useQuery({
    // Below the key of the inbox: reading there is seen here.
    queryKey: ['settings', 'notifications', 'unread-count'],
    queryFn: ({ signal }) => api.notifications.countUnread({ signal }),
    meta: { what: 'the number of unread notifications' },
  });
  useLiveRefresh(['notification'], ['settings', 'notifications']);
  const unread = data?.unread ?? 0;
  return (
    <Link
      to="/settings"
      search={{ tab: 'inbox' }}
      className={styles.bell}
      aria-label={unread === 0 ? 'Inbox' : `Inbox, ${unread} unread`}
      {...(onFollow ? { onClick: onFollow } : {})}
    >
      <BellIcon size={16} strokeWidth={1.75} aria-hidden="true" />
      {unread > 0 && (
        <span className={styles.unread} aria-hidden="true">
          {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
        </span>
      )}
    </Link>
  );
};
