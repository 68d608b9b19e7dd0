export { tenantRoutes } from './routes.ts';
export {
  createTenants,
  type FirstAdminPort,
} from './service.ts';
export {
  findTenant,
  findTenantByExternalId,
  findTenantBySlug,
  hasExternalTenant,
  insertTenant,
  type TenantRow,
} from './store.ts';
