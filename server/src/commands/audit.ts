import type { Db } from '../db/db.ts';
import {
  type Audit,
  auditSignerOf,
  createAudit,
  SIGNED_FACT,
  type VerifyOptions,
} from '../features/audit/index.ts';
import type { PlatformKeys } from '../features/identity/index.ts';
import { createNodeStore } from '../features/nodes/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { LOST_KEYS } from '../modules/sealing.ts';

/** The key of the audit chain as a command has it; `signer` is null on a platform that has not signed its chains yet. */
export const auditProofOf = async (db: Db, keys: PlatformKeys): Promise<VerifyOptions> => {
  const signer = auditSignerOf(keys);
  const began = keys.hasMark('audit-signed') || (await createNodeStore(db).hasFact(SIGNED_FACT));
  // A key that was made a moment ago has signed nothing, and nobody would have it afterwards.
  if (!keys.unkept().includes('identity.key')) return { signer, began };
  if (began) throw new Error(LOST_KEYS);
  return { signer: null, began };
};

/** Throws where the platform's key is not here: a row that it did not sign would show as somebody else's. */
export const auditOf = async (db: Db, keys: PlatformKeys, clock: Clock): Promise<Audit> => {
  const { signer, began } = await auditProofOf(db, keys);
  return signer === null ? createAudit(clock) : createAudit(clock, { signer, began: () => began === true });
};
