import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NodeStore } from '../nodes/index.ts';
import { type AuditSigner, createAuditSigner } from './signer.ts';
import { type AuditHead, auditHeads, signChains } from './signing.ts';

/** The secret that signs, and the mark beside it that all chains have been signed once (PlatformKeys). */
export interface AuditKeys {
  secret(name: 'audit.key'): string;
  previous(name: 'audit.key'): readonly string[];
  hasMark(name: 'audit-signed'): boolean;
  setMark(name: 'audit-signed'): void;
}

interface SigningLog {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** Signs the audit chain, and says its heads where the store's writer does not reach. */
export interface ChainSigning {
  signer: AuditSigner;
  began(): boolean;
  onBroken(tenantId: string): void;
  /** After the keys are known to fit the store, before the first request. */
  start(): Promise<void>;
  close(): void;
}

/** Heads that have moved go to the log this often. */
const HEADS_EVERY_MS = 3_600_000;

export const auditSignerOf = (keys: Pick<AuditKeys, 'secret' | 'previous'>): AuditSigner =>
  createAuditSigner([keys.secret('audit.key'), ...keys.previous('audit.key')]);

/** Name of the fact in the store that all chains have been signed once. */
export const SIGNED_FACT = 'audit-signed';

export const createChainSigning = (parts: {
  db: Db;
  clock: Clock;
  keys: AuditKeys;
  store: Pick<NodeStore, 'fact' | 'hasFact'>;
  logger: SigningLog;
}): ChainSigning => {
  const { db, clock, keys, store, logger } = parts;
  const signer = auditSignerOf(keys);
  const told = new Map<string, string>();
  let began = false;
  let timer: NodeJS.Timeout | null = null;

  const tellHeads = async (): Promise<void> => {
    for (const { tenantId, seq, hash } of await auditHeads(db)) {
      if (told.get(tenantId) === hash) continue;
      told.set(tenantId, hash);
      logger.info({ audit_head: { tenant_id: tenantId, seq, hash } satisfies Head }, 'audit head');
    }
  };
  const tell = (): void =>
    void tellHeads().catch((error: unknown) => logger.error({ err: error }, 'audit heads'));

  return {
    signer,
    began: () => began,
    onBroken: (tenantId) =>
      logger.error(
        { tenant_id: tenantId },
        'the audit chain is not as this platform left it: "audit verify" shows where',
      ),
    async start() {
      // Either is enough: who writes to the store can take away what stands there, and a new node has no folder of before.
      began = keys.hasMark('audit-signed') || (await store.hasFact(SIGNED_FACT));
      const report = await signChains({ db, clock, signer, began });
      if (report.begun > 0)
        logger.warn({ chains: report.begun }, 'audit chains of before are signed from here on');
      if (report.changed > 0) logger.warn({ chains: report.changed }, 'audit chains go on under the new key');
      if (report.broken.length > 0)
        logger.error(
          { tenants: report.broken.slice(0, 20) },
          'audit chains are not as this platform left them',
        );
      await store.fact(SIGNED_FACT, signer.id);
      keys.setMark('audit-signed');
      began = true;
      tell();
      timer = setInterval(tell, HEADS_EVERY_MS);
      timer.unref();
    },
    close() {
      if (timer !== null) clearInterval(timer);
    },
  };
};

type Head = { tenant_id: AuditHead['tenantId'] } & Pick<AuditHead, 'seq' | 'hash'>;
