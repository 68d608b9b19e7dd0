import { auditVerify } from './audit-verify.ts';
import { backup } from './backup.ts';
import { type Command, type Io, messageOf, UsageError } from './command.ts';
import { costsCheck, costsRebuild } from './costs.ts';
import { doctor } from './doctor.ts';
import { exportTenant } from './export-tenant.ts';
import { importTenant } from './import-tenant.ts';
import { keysRecover } from './keys-recover.ts';
import { keysRotate } from './keys-rotate.ts';
import { migrateCommand } from './migrate.ts';
import { modelList, modelPull, modelRemove } from './model.ts';
import { purge } from './purge.ts';
import { restore } from './restore.ts';

/** Everything but `serve`, which main.ts does itself. */
export const COMMANDS: readonly Command[] = [
  migrateCommand,
  doctor,
  backup,
  restore,
  exportTenant,
  importTenant,
  purge,
  auditVerify,
  costsCheck,
  costsRebuild,
  keysRotate,
  keysRecover,
  modelPull,
  modelList,
  modelRemove,
];

export const help = (): string => {
  const rows: [string, string][] = [
    ['serve', 'Start the server (also without a command)'],
    ...COMMANDS.map((command): [string, string] => [
      command.usage === '' ? command.name : `${command.name} ${command.usage}`,
      command.about,
    ]),
  ];
  const list = rows.map(([usage, about]) => `  ${usage}\n      ${about}`).join('\n');
  return `Usage: node server/src/main.ts [command]\n\n${list}\n\nSettings come from the environment and pentarch.yaml (docs/reference/settings.md); docs/operations.md says more.`;
};

/** The command that `argv` names, with what stands behind its name; null when there is none. */
export const findCommand = (
  argv: readonly string[],
): { command: Command; args: readonly string[] } | null => {
  for (const command of COMMANDS) {
    const words = command.name.split(' ');
    if (words.every((word, i) => argv[i] === word)) return { command, args: argv.slice(words.length) };
  }
  return null;
};

const isArgumentError = (error: unknown): boolean =>
  error instanceof UsageError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));

/** Runs a command to its exit code: 0 done, 1 failed (said on `fail`), 2 not called as it should be. */
export const runCommand = async (
  argv: readonly string[],
  io: Io,
  fail: (line: string) => void,
): Promise<number> => {
  const found = findCommand(argv);
  if (found === null) {
    fail(`unknown command: ${argv.join(' ')}\n\n${help()}`);
    return 2;
  }
  const { command, args } = found;
  if (args.includes('--help')) {
    io.out(`Usage: node server/src/main.ts ${command.name} ${command.usage}\n\n${command.about}`);
    return 0;
  }
  try {
    return await command.run(args, io);
  } catch (error) {
    fail(`${command.name}: ${messageOf(error)}`);
    if (!isArgumentError(error)) return 1;
    fail(`Usage: node server/src/main.ts ${command.name} ${command.usage}`);
    return 2;
  }
};
