import { PageHead } from '../../components/surface.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useMay } from '../../lib/me.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { ApiKeys } from './api-keys.tsx';
import { Channels } from './channels.tsx';
import { Inbox } from './inbox.tsx';
import { Preferences } from './preferences.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';

const TABS = ['profile', 'preferences', 'inbox', 'notifications', 'tokens', 'keys', 'sessions'] as const;
const parse = (raw: Readonly<Record<string, unknown>>): { tab: (typeof TABS)[number] } => ({
  tab: TABS.find((one) => one === raw.tab) ?? 'profile',
});

const SettingsPage = () => {
  const [{ tab }, setState] = useUrlState(parse);
  const mayNotifications = useMay('notifications:read');
  const mayMemory = useMay('memory:read');
  const mayKeys = useMay('keys:read');
  const tabs = [
    { value: 'profile', label: 'Profile', content: <Profile /> },
    ...(mayMemory ? [{ value: 'preferences', label: 'Preferences', content: <Preferences /> }] : []),
    ...(mayNotifications
      ? [
          { value: 'inbox', label: 'Inbox', content: <Inbox /> },
          { value: 'notifications', label: 'Notifications', content: <Channels /> },
        ]
      : []),
    ...(mayKeys
      ? [
          { value: 'tokens', label: 'Personal tokens', content: <Tokens /> },
          { value: 'keys', label: 'API keys', content: <ApiKeys /> },
        ]
      : []),
    { value: 'sessions', label: 'Sessions', content: <Sessions /> },
  ];
  const shown = tabs.some((one) => one.value === tab) ? tab : 'profile';
  return (
    <>
      <PageHead title="Settings" about="Your account, your notifications, and what may act on your behalf." />
      <Tabs value={shown} tabs={tabs} onChange={(next) => setState({ tab: next })} />
    </>
  );
};

export default SettingsPage;
