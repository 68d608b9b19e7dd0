import { Bot } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

export const agents: Feature = {
  id: 'agents',
  label: 'Agents',
  icon: Bot,
  path: '/agents',
  anyOf: ['agents:read'],
  primary: true,
  pages: [{ path: '/agents', title: 'Agents', load: () => import('./agents-page.tsx') }],
};
