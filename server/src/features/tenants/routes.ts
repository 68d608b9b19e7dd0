import { type AnyRoute, route } from '../../http/route.ts';
import { pageRequest } from '../../kernel/pagination.ts';
import {
  NewTenant,
  Tenant,
  TenantChange,
  TenantCreated,
  TenantPage,
  TenantParams,
  TenantQuery,
} from './schema.ts';
import type { Tenants } from './service.ts';

const tag = 'Tenants';
const surface = 'v2' as const;

export const tenantRoutes = (tenants: Tenants): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/tenants',
    surface,
    operationId: 'listTenants',
    summary: 'All tenants, for platform administrators',
    tag,
    acrossTenants: true,
    access: 'tenants:read',
    query: TenantQuery,
    responses: { 200: TenantPage },
    handler: ({ caller, query }) => tenants.list(caller, pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/tenants',
    surface,
    operationId: 'createTenant',
    summary: 'Make a tenant and, if asked, its first admin; for platform administrators',
    tag,
    acrossTenants: true,
    access: 'tenants:manage',
    body: NewTenant,
    responses: { 201: TenantCreated },
    handler: async ({ caller, body, reply, requestId }) => {
      const tenant = await tenants.create(caller, body, requestId);
      reply.header('location', `/v2/tenants/${tenant.id}`);
      return tenant;
    },
  }),
  route({
    method: 'GET',
    path: '/tenants/:id',
    surface,
    operationId: 'getTenant',
    summary: "One's own tenant, or any for platform administrators",
    tag,
    acrossTenants: true,
    access: 'tenants:read',
    params: TenantParams,
    responses: { 200: Tenant },
    handler: ({ caller, params }) => tenants.get(caller, params.id),
  }),
  route({
    method: 'PATCH',
    path: '/tenants/:id',
    surface,
    operationId: 'updateTenant',
    summary: 'Change a tenant; tier and status only by platform administrators',
    tag,
    acrossTenants: true,
    access: 'tenants:manage',
    params: TenantParams,
    body: TenantChange,
    responses: { 200: Tenant },
    handler: ({ caller, params, body, requestId }) => tenants.update(caller, params.id, body, requestId),
  }),
];
