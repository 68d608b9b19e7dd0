import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { checkSums, rebuildSums } from '../features/costs/index.ts';
import { iso } from '../kernel/clock.ts';
import type { Command, Io } from './command.ts';
import { openForCommand } from './store.ts';

/** How many sums that do not fit are named, of each tenant. */
const NAMED = 10;

const check = async (db: Db, io: Io): Promise<number> => {
  const checked = await checkSums(db);
  for (const { tenantId, pending, wrong } of checked) {
    if (pending)
      io.out(`waits   tenant ${tenantId}: its sums are being made, and its costs counted from rows`);
    else if (wrong.length === 0) io.out(`ok      tenant ${tenantId}`);
    else io.out(`WRONG   tenant ${tenantId}: ${wrong.length} sums are not those of the rows`);
    for (const { part, starts_at } of wrong.slice(0, NAMED)) io.out(`        ${part} ${iso(starts_at)}`);
  }
  const broken = checked.filter((one) => one.wrong.length > 0).length;
  io.out(
    `${checked.length} tenants, ${broken} with sums that do not fit${broken === 0 ? '' : ': "costs rebuild"'}`,
  );
  return broken === 0 ? 0 : 1;
};

const withStore = async (
  args: readonly string[],
  io: Io,
  work: (db: Db, io: Io) => Promise<number>,
): Promise<number> => {
  parseArgs({ args: [...args], options: {} });
  const db = await openForCommand(loadConfig(io.env, io.folder));
  try {
    return await work(db, io);
  } finally {
    await db.close();
  }
};

export const costsCheck: Command = {
  name: 'costs check',
  usage: '',
  about:
    'Compare the sums that the costs are read from with the rows of the ledger; exit 1 when one is wrong',
  run: (args, io) => withStore(args, io, check),
};

export const costsRebuild: Command = {
  name: 'costs rebuild',
  usage: '',
  about: 'Make the sums of the ledger anew from its rows; costs are counted from rows meanwhile',
  run: (args, io) =>
    withStore(args, io, async (db) => {
      io.out(`${await rebuildSums(db)} tenants: their sums are those of the rows`);
      return 0;
    }),
};
