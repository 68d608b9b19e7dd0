/** Slug of the first tenant, whose admins run the platform. */
export const DEFAULT_TENANT = 'default';
