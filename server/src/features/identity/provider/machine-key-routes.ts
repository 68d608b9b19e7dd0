import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../../kernel/caller.ts';
import { isUuid } from '../../../kernel/ids.ts';
import type { MachineKeys } from '../machine-keys/service.ts';
import { OAuthError } from './oauth-error.ts';

/** `/management/v1/users/{user_id}/machine_keys` in Zitadel's form. */

const PATH = '/management/v1/users/:userId/machine_keys';
const FIELDS = ['type', 'expirationDate'];

interface KeyParams {
  Params: { userId: string };
}

const readBody = (body: unknown): { type: string; expirationDate: string | null } => {
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) {
    throw new OAuthError('invalid_request', 'the body must be a JSON object');
  }
  const fields = new Map(Object.entries(body ?? {}));
  const unknown = [...fields.keys()].find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw new OAuthError('invalid_request', `${unknown.slice(0, 50)} is not a known field`);
  const type: unknown = fields.get('type') ?? 'KEY_TYPE_JSON';
  const expirationDate: unknown = fields.get('expirationDate') ?? null;
  if (typeof type !== 'string' || (expirationDate !== null && typeof expirationDate !== 'string')) {
    throw new OAuthError('invalid_request', 'type and expirationDate must be strings');
  }
  return { type, expirationDate };
};

const idOf = (request: FastifyRequest<KeyParams>): string => {
  if (!isUuid(request.params.userId)) throw new OAuthError('not_found', 'user not found');
  return request.params.userId;
};

export const mountMachineKeys = (
  scope: FastifyInstance,
  machineKeys: MachineKeys,
  callerOf: (request: FastifyRequest) => Promise<Caller>,
): void => {
  scope.post<KeyParams>(PATH, async (request) => {
    const caller = await callerOf(request);
    return machineKeys.create(caller, idOf(request), readBody(request.body), request.id);
  });

  scope.get<KeyParams>(PATH, async (request) => {
    const caller = await callerOf(request);
    return machineKeys.list(caller, idOf(request));
  });

  scope.delete<{ Params: { userId: string; keyId: string } }>(`${PATH}/:keyId`, async (request) => {
    const caller = await callerOf(request);
    await machineKeys.remove(caller, request.params.userId, request.params.keyId, request.id);
    return {};
  });
};
