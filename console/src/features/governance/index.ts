import { Scale } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

export const governance: Feature = {
  id: 'governance',
  label: 'Governance',
  icon: Scale,
  path: '/governance',
  anyOf: ['governance:read'],
  primary: true,
  pages: [{ path: '/governance', title: 'Governance', load: () => import('./governance-page.tsx') }],
};
