import { ShieldCheck } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

/** Running the organisation. Each tab has its own permission; a platform administrator sees the tenants too. */
export const admin: Feature = {
  id: 'admin',
  label: 'Admin',
  icon: ShieldCheck,
  path: '/admin',
  anyOf: ['users:read', 'webhooks:read', 'audit:read', 'clients:manage'],
  pages: [{ path: '/admin', title: 'Admin', load: () => import('./admin-page.tsx') }],
};
