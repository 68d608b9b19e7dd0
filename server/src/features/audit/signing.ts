import type { Db, Queryable } from '../../db/db.ts';
import type { AuditHeadRow } from '../../db/tables/identity.ts';
import type { Clock } from '../../kernel/clock.ts';
import { KEY_CHANGED, SIGNING_BEGAN } from './rules.ts';
import { noteMissingHead, noteSigning } from './service.ts';
import { type AuditSigner, signerOf } from './signer.ts';
import { headState, listHeadless, listHeads } from './store.ts';

export interface SigningOptions {
  db: Db;
  clock: Clock;
  signer: AuditSigner;
  /** All chains have been signed once: an unsigned one is left, so that the proof shows it. */
  began: boolean;
}

export interface SigningReport {
  /** Chains of before there were signatures. */
  begun: number;
  /** Chains that went over to a new key. */
  changed: number;
  /** Chains that are not as the platform left them, or that a key signed which is not here. */
  broken: string[];
}

/** Puts every chain under the present key, at the start of a server: what waits for its next event would stay open until then. */
export const signChains = async (options: SigningOptions): Promise<SigningReport> => {
  const { db, clock, signer } = options;
  const report: SigningReport = { begun: 0, changed: 0, broken: [] };
  const sign = async (head: AuditHeadRow): Promise<void> => {
    const state = headState(signer, head);
    const tenantId = head.tenant_id;
    if (state === 'right') return;
    if (state === 'unsigned' && !options.began) {
      await db.write((tx) =>
        noteSigning(tx, clock, signer, { tenantId, action: SIGNING_BEGAN, details: {} }),
      );
      report.begun += 1;
    } else if (state === 'previous') {
      const details = { from: signerOf(head.seal ?? ''), proved: true };
      await db.write((tx) => noteSigning(tx, clock, signer, { tenantId, action: KEY_CHANGED, details }));
      report.changed += 1;
    } else report.broken.push(tenantId);
  };
  const headless = await listHeadless(db.read);
  for (const tenantId of headless) {
    await db.write((tx) => noteMissingHead(tx, clock, signer, tenantId));
    report.broken.push(tenantId);
  }
  for (const head of await listHeads(db.read)) if (!headless.includes(head.tenant_id)) await sign(head);
  return report;
};

/**
 * After the keys were lost: chains go on under the new key, by the word of whoever runs the command. `proved` says that the hashes of
 * the chain fit; who wrote them cannot be told any more.
 */
export const resignChains = async (options: {
  db: Db;
  clock: Clock;
  signer: AuditSigner;
  fits(tenantId: string): Promise<boolean>;
}): Promise<number> => {
  const { db, clock, signer } = options;
  let count = 0;
  for (const head of await listHeads(db.read)) {
    if (headState(signer, head) === 'right') continue;
    const from = typeof head.seal === 'string' ? signerOf(head.seal) : null;
    const tenantId = head.tenant_id;
    const proved = await options.fits(tenantId);
    const action = from === null ? SIGNING_BEGAN : KEY_CHANGED;
    const details = { from, proved, recovered: true };
    await db.write((tx) => noteSigning(tx, clock, signer, { tenantId, action, details }));
    count += 1;
  }
  return count;
};

export interface AuditHead {
  tenantId: string;
  seq: number;
  hash: string;
}

export const auditHeads = async (db: Db): Promise<AuditHead[]> =>
  (await listHeads(db.read)).map(({ tenant_id: tenantId, seq, hash }) => ({ tenantId, seq, hash }));

/** Tenants whose chain was last signed by a key that is not here; at most `limit`. */
export const headsOfUnknownKeys = async (
  db: Queryable,
  signer: AuditSigner,
  limit: number,
): Promise<string[]> =>
  (await listHeads(db))
    .filter((head) => headState(signer, head) === 'unknown')
    .slice(0, limit)
    .map((head) => head.tenant_id);
