import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { replaceSealed, SEALED_PLACES, sealedValues } from '../db/sealed.ts';
import { signChains } from '../features/audit/index.ts';
import {
  createSigningKeys,
  noteRotation,
  type PlatformKeys,
  SIGNING_KEY_LIFE,
  tokenLifeMs,
} from '../features/identity/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { composeSealing, keysFit, LOST_KEYS } from '../modules/sealing.ts';
import { auditOf, auditProofOf } from './audit.ts';
import type { Command, Io } from './command.ts';
import { platformKeysOf, sealOf } from './keys.ts';
import { openForCommand } from './store.ts';

/** Seals anew what an earlier key sealed, or what does not name its record yet; how many values that were. */
const sealAnew = async (db: Db, keys: PlatformKeys): Promise<number> => {
  const sealing = composeSealing(keys);
  let count = 0;
  for (const place of SEALED_PLACES) {
    for (const value of await sealedValues(db.read, place, null)) {
      if (sealing.isCurrent(value)) continue;
      const plain = sealing.open(value);
      // Answers of idempotency keys may be older than the key of before: they go within a day by themselves.
      if (plain === null) continue;
      await db.write((tx) => replaceSealed(tx, value, { [place.column]: sealing.seal(value, plain) }));
      count += 1;
    }
  }
  return count;
};

/** Chains that go over to the new key now, so that none waits for its next event under one that is taken away. */
const signAnew = async (db: Db, keys: PlatformKeys, clock: Clock): Promise<number> => {
  const { signer, began } = await auditProofOf(db, keys);
  if (signer === null) return 0;
  return (await signChains({ db, clock, signer, began: began === true })).changed;
};

export const keysRotate: Command = {
  name: 'keys rotate',
  usage: '',
  about:
    'Make a new key that signs tokens (those of the old one stay good until they expire), and seal all secrets anew with the present PLATFORM_KEY',
  async run(args: readonly string[], io: Io): Promise<number> {
    parseArgs({ args: [...args], options: {} });
    const config = loadConfig(io.env, io.folder);
    const keys = platformKeysOf(config);
    const clock = { now: io.now };
    const db = await openForCommand(config);
    try {
      if (!(await keysFit(db.read, keys))) throw new Error(LOST_KEYS);
      const signing = createSigningKeys({
        db,
        clock,
        seal: sealOf(keys),
        tokenLifeMs: tokenLifeMs(config.ACCESS_TOKEN_EXPIRE_MINUTES),
        maxAgeMs: SIGNING_KEY_LIFE,
        rotated: noteRotation(await auditOf(db, keys, clock)),
      });
      const kid = await signing.rotate();
      io.out(`the new signing key is ${kid}; running servers sign with it within seconds`);
      const sealed = await sealAnew(db, keys);
      const chains = await signAnew(db, keys, clock);
      io.out(`${sealed} secrets sealed anew, ${chains} audit chains under the present key`);
      if (config.PLATFORM_KEY_PREVIOUS !== null)
        io.out('PLATFORM_KEY_PREVIOUS is needed no longer: take it out of the settings of every node');
      return 0;
    } finally {
      await db.close();
    }
  },
};
