import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { createAudit } from '../features/audit/index.ts';
import {
  createSigningKeys,
  noteRotation,
  SIGNING_KEY_LIFE,
  tokenLifeMs,
} from '../features/identity/index.ts';
import type { Command, Io } from './command.ts';
import { platformKeysOf, sealOf } from './keys.ts';
import { openForCommand } from './store.ts';

export const keysRotate: Command = {
  name: 'keys rotate',
  usage: '',
  about: 'Make a new key that signs tokens; tokens of the old one stay good until they expire',
  async run(args: readonly string[], io: Io): Promise<number> {
    parseArgs({ args: [...args], options: {} });
    const config = loadConfig(io.env, io.folder);
    const db = await openForCommand(config);
    try {
      const keys = createSigningKeys({
        db,
        clock: { now: io.now },
        seal: sealOf(platformKeysOf(config)),
        tokenLifeMs: tokenLifeMs(config.ACCESS_TOKEN_EXPIRE_MINUTES),
        maxAgeMs: SIGNING_KEY_LIFE,
        rotated: noteRotation(createAudit({ now: io.now })),
      });
      const kid = await keys.rotate();
      io.out(`the new signing key is ${kid}; running servers sign with it within seconds`);
      return 0;
    } finally {
      await db.close();
    }
  },
};
