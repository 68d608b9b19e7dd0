export { type Audit, type AuditEvent, actorOf, createAudit } from './service.ts';
