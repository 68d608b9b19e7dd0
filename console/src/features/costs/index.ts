import { CircleDollarSign } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

export const costs: Feature = {
  id: 'costs',
  label: 'Costs',
  icon: CircleDollarSign,
  path: '/costs',
  anyOf: ['costs:read'],
  pages: [{ path: '/costs', title: 'Costs', load: () => import('./costs-page.tsx') }],
};
