import { keepPreviousData, skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  Client,
  CreateOauthClientRequest,
  CreateTenantRequest,
  CreateUserRequest,
  CreateWebhookRequest,
  ListAuditEventsQuery,
  ListUsersQuery,
  UpdateTenantRequest,
  UpdateUserRequest,
  UpdateWebhookRequest,
} from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useCursorList } from '../../lib/cursor-list.ts';

/** Reads and writes of the admin page. */

const PAGE = 50;
const next = (cursor: string | undefined) => ({ limit: PAGE, ...(cursor && { cursor }) });

/** A write after which everything of this kind of record is read anew. */
const useWrite = <In, Out>(kind: string, write: (api: Client, input: In) => Promise<Out>) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: In) => write(api, input),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['admin', kind] }),
  });
};

export const useUsers = (filter: Pick<ListUsersQuery, 'q' | 'status' | 'type'>) => {
  const api = useApi();
  return useCursorList(['admin', 'users', 'list', filter], (cursor, signal) =>
    api.users.list({ ...filter, ...next(cursor) }, { signal }),
  );
};
/** Nothing is read while the id is undefined. */
export const useUser = (id: string | undefined) => {
  const api = useApi();
  return useQuery({
    queryKey: ['admin', 'users', 'one', id],
    queryFn: id === undefined ? skipToken : ({ signal }) => api.users.get(id, { signal }),
  });
};
export const useCreateUser = () =>
  useWrite('users', (api, body: CreateUserRequest) => api.users.create(body));
export const useUpdateUser = (id: string) =>
  useWrite('users', (api, body: UpdateUserRequest) => api.users.update(id, body));
/** A link for the person; null when it went out by mail. */
export const useLinkFor = (id: string) =>
  useWrite('users', (api, kind: 'invitation' | 'password') =>
    kind === 'invitation' ? api.users.invite(id) : api.users.resetPassword(id),
  );
export const useDeactivate = (id: string) => useWrite('users', (api, _: null) => api.users.deactivate(id));
export const useErase = (id: string) => useWrite('users', (api, _: null) => api.users.eraseData(id));
export const useExport = (id: string) => {
  const api = useApi();
  return useMutation({ mutationFn: () => api.users.exportData(id) });
};

/** The management paths are the identity provider's own (as Zitadel has them); the SDK has no method for them. */
interface MachineKeyList {
  result: { id: string; type: string; expirationDate: string; details: { creationDate: string } }[];
}
interface MachineKeyCreated {
  keyId: string;
  /** Base64 of the key file. */
  keyDetails: string;
}
const keysPath = (userId: string): string =>
  `/management/v1/users/${encodeURIComponent(userId)}/machine_keys`;

export const useMachineKeys = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['admin', 'machine-keys', userId],
    queryFn: ({ signal }) =>
      api.http.json<MachineKeyList>({ method: 'GET', path: keysPath(userId) }, { signal }),
  });
};
export const useCreateMachineKey = (userId: string) =>
  useWrite('machine-keys', (api, expirationDate: string | null) =>
    api.http.json<MachineKeyCreated>({
      method: 'POST',
      path: keysPath(userId),
      json: { type: 'KEY_TYPE_JSON', ...(expirationDate !== null && { expirationDate }) },
    }),
  );
export const useDeleteMachineKey = (userId: string) =>
  useWrite('machine-keys', (api, keyId: string) =>
    api.http.json<object>({ method: 'DELETE', path: `${keysPath(userId)}/${encodeURIComponent(keyId)}` }),
  );

export const useTenants = () => {
  const api = useApi();
  return useCursorList(['admin', 'tenants'], (cursor, signal) => api.tenants.list(next(cursor), { signal }));
};
export const useCreateTenant = () =>
  useWrite('tenants', (api, body: CreateTenantRequest) => api.tenants.create(body));
export const useUpdateTenant = (id: string) =>
  useWrite('tenants', (api, body: UpdateTenantRequest) => api.tenants.update(id, body));

export const useClients = () => {
  const api = useApi();
  return useCursorList(['admin', 'clients'], (cursor, signal) =>
    api.oauthClients.list(next(cursor), { signal }),
  );
};
export const useCreateClient = () =>
  useWrite('clients', (api, body: CreateOauthClientRequest) => api.oauthClients.create(body));
export const useDeleteClient = () => useWrite('clients', (api, id: string) => api.oauthClients.delete(id));

export const useWebhooks = () => {
  const api = useApi();
  return useCursorList(['admin', 'webhooks', 'list'], (cursor, signal) =>
    api.webhooks.list(next(cursor), { signal }),
  );
};
export const useDeliveries = (id: string) => {
  const api = useApi();
  return useCursorList(['admin', 'webhooks', 'deliveries', id], (cursor, signal) =>
    api.webhooks.listDeliveries(id, next(cursor), { signal }),
  );
};
export const useDelivery = (id: string, deliveryId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['admin', 'webhooks', 'delivery', id, deliveryId],
    queryFn: ({ signal }) => api.webhooks.getDelivery(id, deliveryId, { signal }),
  });
};
export const useCreateWebhook = () =>
  useWrite('webhooks', (api, body: CreateWebhookRequest) => api.webhooks.create(body));
export const useUpdateWebhook = (id: string) =>
  useWrite('webhooks', (api, body: UpdateWebhookRequest) => api.webhooks.update(id, body));
export const useDeleteWebhook = (id: string) =>
  useWrite('webhooks', (api, _: null) => api.webhooks.delete(id));
export const useRotateSecret = (id: string) =>
  useWrite('webhooks', (api, _: null) => api.webhooks.rotateSecret(id));
export const useTestWebhook = (id: string) => useWrite('webhooks', (api, _: null) => api.webhooks.test(id));
export const useRedeliver = (id: string) =>
  useWrite('webhooks', (api, deliveryId: string) => api.webhooks.redeliver(id, deliveryId));

export const useAudit = (filter: Omit<ListAuditEventsQuery, 'page' | 'limit' | 'cursor'>) => {
  const api = useApi();
  return useCursorList(['admin', 'audit', 'list', filter], (cursor, signal) =>
    api.audit.listEvents({ ...filter, ...next(cursor) }, { signal }),
  );
};
export const useVerify = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['admin', 'audit', 'verify'],
    queryFn: ({ signal }) => api.audit.verify({ signal }),
    placeholderData: keepPreviousData,
    // It walks the whole chain; the button asks for it anew.
    staleTime: 600_000,
  });
};
