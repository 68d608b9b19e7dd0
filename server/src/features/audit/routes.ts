import type { Db } from '../../db/db.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { iso } from '../../kernel/clock.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { type AuditBody, AuditPage, AuditQuery, AuditVerdict } from './schema.ts';
import { type AuditEventRow, listRows } from './store.ts';
import { type VerifyOptions, verifyAudit } from './verify.ts';

const tag = 'Audit';
const surface = 'v2' as const;

const view = (row: AuditEventRow): AuditBody => ({
  id: row.id,
  seq: row.seq,
  actor_id: row.actor_id,
  actor_type: row.actor_type,
  action: row.action,
  outcome: row.outcome,
  target_type: row.target_type,
  target_id: row.target_id,
  request_id: row.request_id,
  address: row.address,
  details: JSON.parse(row.details),
  created_at: iso(row.created_at),
  previous_hash: row.previous_hash,
  hash: row.hash,
});

const time = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** Reading only: there is no route that changes the chain. */
export const auditRoutes = (db: Db, proof: VerifyOptions = { signer: null }): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/audit',
    surface,
    operationId: 'listAuditEvents',
    summary: 'What happened in the tenant, newest first',
    tag,
    access: 'audit:read',
    query: AuditQuery,
    responses: { 200: AuditPage },
    handler: async ({ caller, query }): Promise<PageResult<AuditBody>> => {
      const page = pageRequest(query);
      const { rows, total } = await listRows(
        db.read,
        {
          tenantId: caller.tenantId,
          actor: query.actor,
          action: query.action,
          outcome: query.outcome,
          target: query.target,
          from: time(query.from),
          to: time(query.to),
        },
        page,
      );
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
      return { ...result, items: result.items.map(view) };
    },
  }),
  route({
    method: 'GET',
    path: '/audit/verify',
    surface,
    operationId: 'verifyAudit',
    summary: 'Prove the chain of the tenant from its first row to its head',
    tag,
    access: 'audit:read',
    responses: { 200: AuditVerdict },
    handler: ({ caller }) => verifyAudit(db, caller.tenantId, proof),
  }),
];
