import { ShieldCheck } from 'lucide-react';
import type { Feature, FeaturePlace } from '../../lib/feature.ts';

const tab = (value: string, label: string, permission: string, words: string): FeaturePlace => ({
  label,
  path: '/admin',
  search: { tab: value },
  anyOf: [permission],
  words,
});

/** Running the organisation. Each tab has its own permission; a platform administrator sees the tenants too. */
export const admin: Feature = {
  id: 'admin',
  label: 'Admin',
  icon: ShieldCheck,
  path: '/admin',
  anyOf: ['users:read', 'webhooks:read', 'audit:read', 'clients:manage'],
  pages: [{ path: '/admin', title: 'Admin', load: () => import('./admin-page.tsx') }],
  places: [
    tab('users', 'Users', 'users:read', 'people invite accounts'),
    tab('roles', 'Roles and permissions', 'users:read', 'rights'),
    tab('keys', 'Keys of the organisation', 'users:manage', 'api keys service accounts'),
    tab('clients', 'OAuth clients', 'clients:manage', 'applications'),
    tab('webhooks', 'Webhooks', 'webhooks:read', 'events deliveries'),
    tab('audit', 'Audit', 'audit:read', 'log history who did what'),
  ],
};
