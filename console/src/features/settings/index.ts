import { Settings } from 'lucide-react';
import type { Feature, FeaturePlace } from '../../lib/feature.ts';

const tab = (value: string, label: string, anyOf: readonly string[], words: string): FeaturePlace => ({
  label,
  path: '/settings',
  search: { tab: value },
  anyOf,
  words,
});

/** For everybody who is signed in. */
export const settings: Feature = {
  id: 'settings',
  label: 'Settings',
  icon: Settings,
  path: '/settings',
  anyOf: [],
  pages: [{ path: '/settings', title: 'Settings', load: () => import('./settings-page.tsx') }],
  places: [
    tab('profile', 'Profile', [], 'name password'),
    tab('preferences', 'Preferences', ['memory:read'], 'facts remembered about you'),
    tab('inbox', 'Inbox', ['notifications:read'], 'notifications'),
    tab('notifications', 'Notification channels', ['notifications:read'], 'mail browser webhook'),
    tab('tokens', 'Personal tokens', ['keys:read'], 'access token'),
    tab('keys', 'API keys', ['keys:read'], 'secret'),
    tab('sessions', 'Sessions', [], 'devices sign out'),
  ],
};
