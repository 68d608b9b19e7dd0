export { auditSignerOf, SIGNED_FACT } from './chain-signing.ts';
export type { RefusedRequests } from './refused-requests.ts';
export { auditRoutes } from './routes.ts';
export { SIGNING_BEGAN } from './rules.ts';
export {
  type Audit,
  type AuditEvent,
  actorOf,
  createAudit,
  noteSigning,
} from './service.ts';
export { type AuditSigner, createAuditSigner } from './signer.ts';
export {
  headsOfUnknownKeys,
  resignChains,
  signChains,
} from './signing.ts';
export { toolRecord } from './store.ts';
export type { RightsOfUser } from './tools.ts';
export { type VerifyOptions, verifyAllAudits, verifyAudit } from './verify.ts';
