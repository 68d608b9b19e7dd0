import { type Static, Type } from 'typebox';
import {
  AnyObject,
  Nullable,
  Page,
  PageQuery,
  Strict,
  StringEnum,
  Timestamp,
  Uuid,
} from '../../kernel/schema.ts';

export const AuditEntry = Type.Object({
  id: Uuid(),
  seq: Type.Integer({ description: 'Place in the chain of the tenant, from 1 without gaps' }),
  actor_id: Nullable(Type.String()),
  actor_type: Type.String(),
  action: Type.String(),
  outcome: Type.String(),
  target_type: Nullable(Type.String()),
  target_id: Nullable(Type.String()),
  request_id: Nullable(Type.String()),
  address: Nullable(Type.String()),
  details: AnyObject(),
  created_at: Timestamp(),
  previous_hash: Type.String({ description: 'SHA-256 of the row before' }),
  hash: Type.String({ description: 'SHA-256 over the row and previous_hash' }),
});
export type AuditBody = Static<typeof AuditEntry>;

export const AuditPage = Page(AuditEntry);

export const AuditQuery = Strict({
  ...PageQuery,
  actor: Type.Optional(Type.String({ maxLength: 128, description: 'Id of who acted' })),
  action: Type.Optional(
    Type.String({ maxLength: 128, description: 'Whole action, or its beginning up to a dot' }),
  ),
  outcome: Type.Optional(StringEnum(['success', 'refused', 'failed'])),
  target: Type.Optional(Type.String({ maxLength: 128, description: 'Id of what was acted on' })),
  from: Type.Optional(Timestamp()),
  to: Type.Optional(Timestamp()),
});

export const AuditVerdict = Type.Object({
  ok: Type.Boolean(),
  events: Type.Integer({ description: 'Rows whose place in the chain was proved' }),
  broken_at: Nullable(Type.Integer({ description: 'seq of the first row that does not fit' })),
  reason: Nullable(Type.String()),
  signed: Type.Integer({
    description: 'Rows signed with the key of the platform; those before the first one are chained alone',
  }),
});
