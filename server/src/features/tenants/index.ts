export {
  findTenant,
  findTenantByExternalId,
  findTenantBySlug,
  insertTenant,
  type TenantRow,
} from './store.ts';
