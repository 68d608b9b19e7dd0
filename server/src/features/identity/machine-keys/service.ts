import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Db, Queryable } from '../../../db/db.ts';
import type { Caller } from '../../../kernel/caller.ts';
import { type Clock, iso } from '../../../kernel/clock.ts';
import { conflict, forbidden, invalid, notFound } from '../../../kernel/errors.ts';
import { type AccountRights, assertMayGrant, assertMayManage } from '../../../kernel/grants.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Audit, actorOf } from '../../audit/index.ts';
import { findTenant } from '../../tenants/index.ts';
import { findUserOfTenant, permissionsOfMaker, rightsOf, type UserRow } from '../../users/index.ts';
import { countMachineKeys, deleteMachineKey, insertMachineKey, listMachineKeys } from './store.ts';

/** Keys with which service accounts sign their assertions, in the form that Zitadel hands out. */

const MAX_KEYS = 20;
/** Zitadel's date for keys without an end. */
const NEVER = Date.UTC(9999, 11, 31, 23, 59, 59);
const generatePair = promisify(generateKeyPair);
const makeRsaPair = () => generatePair('rsa', { modulusLength: 2048 });

const assertRoom = async (db: Queryable, userId: string): Promise<void> => {
  if ((await countMachineKeys(db, userId)) < MAX_KEYS) return;
  throw conflict(`a service account has at most ${MAX_KEYS} machine keys`);
};

export const createMachineKeys = (options: {
  db: Db;
  clock: Clock;
  audit: Audit;
  makePair?: typeof makeRsaPair;
}) => {
  const { db, clock, audit, makePair = makeRsaPair } = options;

  /** `allowed`: refuses whose credential is not enough for the account, before it hears what the account is. */
  const serviceAccount = async (
    caller: Caller,
    userId: string,
    allowed: (caller: Caller, rights: AccountRights) => void = () => {},
  ): Promise<UserRow> => {
    if (!caller.permissions.has('users:manage')) throw forbidden('users:manage');
    const user = await findUserOfTenant(db.read, caller.tenantId, userId);
    if (user === undefined) throw notFound('user');
    const tenant = await findTenant(db.read, user.tenant_id);
    allowed(caller, rightsOf(user, tenant?.slug ?? ''));
    if (user.type !== 'service') throw conflict('machine keys are for service accounts (type service)');
    return user;
  };

  return {
    /** `keyDetails` is the whole key file, base64; the private key is kept nowhere. */
    async create(
      caller: Caller,
      userId: string,
      input: { type: string; expirationDate: string | null },
      requestId: string,
    ): Promise<{ keyId: string; keyDetails: string; details: { creationDate: string } }> {
      await serviceAccount(caller, userId, assertMayGrant);
      if (input.type !== 'KEY_TYPE_JSON') throw invalid({ field: '/type', reason: 'must be KEY_TYPE_JSON' });
      const expiresAt = input.expirationDate === null ? NEVER : Date.parse(input.expirationDate);
      if (!(expiresAt > clock.now())) {
        throw invalid({ field: '/expirationDate', reason: 'must be an ISO 8601 time in the future' });
      }
      // The count in the transaction decides; a pair that nobody keeps is not made.
      await assertRoom(db.read, userId);
      const pair = await makePair();
      const keyId = newId();
      const at = clock.now();
      await db.write(async (tx) => {
        await assertRoom(tx, userId);
        await insertMachineKey(tx, {
          id: keyId,
          tenant_id: caller.tenantId,
          user_id: userId,
          public_jwk: JSON.stringify(pair.publicKey.export({ format: 'jwk' })),
          maker_permissions: permissionsOfMaker(caller),
          created_at: at,
          expires_at: expiresAt,
        });
        await audit.append(tx, {
          ...actorOf(caller),
          action: 'machine_key.created',
          targetType: 'machine_key',
          targetId: keyId,
          requestId,
          details: { user_id: userId },
        });
      });
      const key = pair.privateKey.export({ format: 'pem', type: 'pkcs8' });
      const file = JSON.stringify({ type: 'serviceaccount', keyId, key, userId });
      return {
        keyId,
        keyDetails: Buffer.from(file).toString('base64'),
        details: { creationDate: iso(at) },
      };
    },

    async list(caller: Caller, userId: string) {
      await serviceAccount(caller, userId);
      const rows = await listMachineKeys(db.read, userId, MAX_KEYS);
      return {
        details: { totalResult: String(rows.length) },
        result: rows.map((row) => ({
          id: row.id,
          type: 'KEY_TYPE_JSON',
          details: { creationDate: iso(row.created_at) },
          expirationDate: iso(row.expires_at),
        })),
      };
    },

    async remove(caller: Caller, userId: string, keyId: string, requestId: string): Promise<void> {
      await serviceAccount(caller, userId, assertMayManage);
      await db.write(async (tx) => {
        if (!(await deleteMachineKey(tx, userId, keyId))) throw notFound('key');
        await audit.append(tx, {
          ...actorOf(caller),
          action: 'machine_key.deleted',
          targetType: 'machine_key',
          targetId: keyId,
          requestId,
          details: { user_id: userId },
        });
      });
    },
  };
};

export type MachineKeys = ReturnType<typeof createMachineKeys>;
