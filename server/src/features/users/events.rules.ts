import type { NewEvent } from '../../kernel/events.ts';

/** What is told of a new account, however it came to be. */
export const userCreated = (
  user: {
    id: string;
    tenant_id: string;
    email: string;
    type: string;
  },
  requestId: string | null,
): NewEvent => ({
  type: 'user.created',
  tenantId: user.tenant_id,
  userId: user.id,
  reach: 'tenant',
  permission: 'users:read',
  data: { user_id: user.id, email: user.email, type: user.type },
  requestId,
});
