import type { Db } from '../../db/db.ts';
import type { RefusedRequest } from '../../http/app.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { AppError } from '../../kernel/errors.ts';
import { createRefusals, type Refusal } from './refusals.ts';
import type { Audit } from './service.ts';

/** Writes refused requests and messages into the audit chain. */
export interface RefusedRequests {
  ofRequest(request: RefusedRequest): void;
  ofSocket(caller: Caller | null, address: string, fault: AppError): void;
  close(): Promise<void>;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const whoAndWhy = (
  caller: Caller | null,
  fault: AppError | null,
): Pick<Refusal, 'tenantId' | 'actorId' | 'actorType' | 'reason' | 'required'> => ({
  tenantId: caller?.tenantId ?? null,
  actorId: caller?.userId ?? null,
  actorType: caller?.type === 'service' ? 'service' : 'user',
  reason: text(fault?.details.reason) ?? fault?.code ?? null,
  required: text(fault?.details.required),
});

export const createRefusedRequests = (parts: {
  db: Db;
  clock: Clock;
  audit: Audit;
  defaultTenantId(): Promise<string | null>;
  onError(error: unknown, message: string): void;
}): RefusedRequests => {
  const refusals = createRefusals({
    db: parts.db,
    clock: parts.clock,
    audit: parts.audit,
    defaultTenantId: () => parts.defaultTenantId(),
    onError: (error) => parts.onError(error, 'a refusal could not be written into the audit chain'),
  });
  return {
    ofRequest({ caller, fault, address, requestId, method, route, status }) {
      // Each wrong password has a row of its own already (session.refused).
      if (status === 401 && route === '/v2/auth/login') return;
      // A provider that was asked too much has turned the platform away, and the platform nobody.
      if (status === 429 && fault?.details.provider !== undefined) return;
      refusals.note({
        ...whoAndWhy(caller, fault),
        address,
        requestId,
        operation: `${method} ${route}`,
        status,
      });
    },
    ofSocket(caller, address, fault) {
      refusals.note({
        ...whoAndWhy(caller, fault),
        address,
        requestId: null,
        operation: 'WebSocket /v2/ws',
        status: fault.status,
      });
    },
    close: refusals.close,
  };
};
