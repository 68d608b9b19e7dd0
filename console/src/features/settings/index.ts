import { Settings } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

/** For everybody who is signed in. */
export const settings: Feature = {
  id: 'settings',
  label: 'Settings',
  icon: Settings,
  path: '/settings',
  anyOf: [],
  pages: [{ path: '/settings', title: 'Settings', load: () => import('./settings-page.tsx') }],
};
