import { PageHead } from '../../components/surface.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useMe } from '../../lib/me.ts';
import { Audit } from './audit.tsx';
import { Clients } from './clients.tsx';
import { Keys } from './keys-tab.tsx';
import { Roles } from './roles-tab.tsx';
import { CLEARED, useAdminState } from './state.ts';
import { Tenants } from './tenants.tsx';
import { Users } from './users.tsx';
import { Webhooks } from './webhooks.tsx';

const AdminPage = () => {
  const { permissions, platform_admin } = useMe();
  const [{ tab }, setState] = useAdminState();
  const may = (permission: string): boolean => permissions.includes(permission);
  const tabs = [
    ...(may('users:read') ? [{ value: 'users', label: 'Users', content: <Users /> }] : []),
    ...(may('users:read') ? [{ value: 'roles', label: 'Roles', content: <Roles /> }] : []),
    ...(platform_admin && may('tenants:manage')
      ? [{ value: 'tenants', label: 'Tenants', content: <Tenants /> }]
      : []),
    ...(may('users:manage') ? [{ value: 'keys', label: 'Keys', content: <Keys /> }] : []),
    ...(may('clients:manage') ? [{ value: 'clients', label: 'OAuth clients', content: <Clients /> }] : []),
    ...(may('webhooks:read') ? [{ value: 'webhooks', label: 'Webhooks', content: <Webhooks /> }] : []),
    ...(may('audit:read') ? [{ value: 'audit', label: 'Audit', content: <Audit /> }] : []),
  ];
  const shown = tabs.find((one) => one.value === tab)?.value ?? tabs[0]?.value ?? 'users';
  return (
    <>
      <PageHead title="Admin" about="Who and what may act in this organisation, and what they did." />
      <Tabs value={shown} tabs={tabs} onChange={(next) => setState({ ...CLEARED, tab: next })} />
    </>
  );
};

export default AdminPage;
