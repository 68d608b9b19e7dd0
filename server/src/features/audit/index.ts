export { createRefusals, type Refusal, type Refusals } from './refusals.ts';
export { auditRoutes } from './routes.ts';
export { type Audit, type AuditEvent, actorOf, createAudit } from './service.ts';
export { toolRecord } from './store.ts';
export { type AuditToolsDeps, auditTools, type RightsOfUser } from './tools.ts';
export { type AuditVerdict, verifyAllAudits, verifyAudit } from './verify.ts';
