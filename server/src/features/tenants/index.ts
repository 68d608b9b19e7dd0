export { tenantRoutes } from './routes.ts';
export {
  createTenants,
  DEFAULT_TENANT,
  type FirstAdminPort,
  type PreparedAdmin,
  type Tenants,
} from './service.ts';
export {
  findTenant,
  findTenantByExternalId,
  findTenantBySlug,
  hasExternalTenant,
  insertTenant,
  type TenantRow,
} from './store.ts';
