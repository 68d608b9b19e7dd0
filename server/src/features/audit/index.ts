export { auditRoutes } from './routes.ts';
export { type Audit, type AuditEvent, actorOf, createAudit } from './service.ts';
export { type AuditVerdict, verifyAllAudits, verifyAudit } from './verify.ts';
