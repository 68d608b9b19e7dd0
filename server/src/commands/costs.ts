import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { AGENT_IDS, checkRunSums, forgetRunSums } from '../features/agents/index.ts';
import { runSamples } from '../features/chat/index.ts';
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
  const figures = await checkRunSums(db, runSamples, AGENT_IDS);
  for (const { tenantId, wrong } of figures) {
    const fits = wrong.length === 0;
    io.out(
      fits
        ? `ok      tenant ${tenantId}: figures of its agents`
        : `WRONG   tenant ${tenantId}: ${wrong.length} figures of its agents are not those of the runs`,
    );
    for (const { part, starts_at } of wrong.slice(0, NAMED)) io.out(`        ${part} ${iso(starts_at)}`);
  }
  const broken = new Set(
    [...checked, ...figures].filter((one) => one.wrong.length > 0).map((one) => one.tenantId),
  ).size;
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
    'Compare the sums that costs and figures of agents are read from with their rows; exit 1 when one is wrong',
  run: (args, io) => withStore(args, io, check),
};

export const costsRebuild: Command = {
  name: 'costs rebuild',
  usage: '',
  about:
    'Make the sums of the ledger anew from its rows, and drop those of agents; both are counted from rows meanwhile',
  run: (args, io) =>
    withStore(args, io, async (db) => {
      await forgetRunSums(db);
      io.out(`${await rebuildSums(db)} tenants: their sums are those of the rows`);
      return 0;
    }),
};
