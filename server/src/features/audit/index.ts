export { type AuditKeys, auditSignerOf, type ChainSigning, SIGNED_FACT } from './chain-signing.ts';
export type { RefusedRequests } from './refused-requests.ts';
export { auditRoutes } from './routes.ts';
export { SIGNING_BEGAN } from './rules.ts';
export {
  type Audit,
  type AuditEvent,
  type AuditSigning,
  actorOf,
  createAudit,
  noteSigning,
} from './service.ts';
export { type AuditSigner, createAuditSigner } from './signer.ts';
export {
  type AuditHead,
  auditHeads,
  headsOfUnknownKeys,
  resignChains,
  type SigningReport,
  signChains,
} from './signing.ts';
export { toolRecord } from './store.ts';
export { type AuditToolsDeps, auditTools, type RightsOfUser } from './tools.ts';
export { type AuditVerdict, type VerifyOptions, verifyAllAudits, verifyAudit } from './verify.ts';
