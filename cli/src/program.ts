import { Argument, Command, Option } from 'commander';
import { chatCommand } from './commands/chat.ts';
import { doctorCommand } from './commands/doctor.ts';
import { addDocuments } from './commands/documents.ts';
import { addServer, callTool, importServers } from './commands/mcp.ts';
import { eventsCommand, searchCommand, setLimitCommand } from './commands/search.ts';
import { sessionCommands } from './commands/session.ts';
import { exportConversations, exportMemory, importConversations, importMemory } from './commands/transfer.ts';
import { completionScript, SHELLS, wordsOf } from './completions.ts';
import { type Context, createContext, type Globals, type Runtime } from './context.ts';
import { EXIT_CODES, usage } from './errors.ts';
import { type ResourceCommand, resourceCommand } from './resource.ts';
import { GROUPS } from './resources.ts';
import { SERVER_COMMANDS, type ServerCommand } from './server-commands.ts';
import type { Shell } from './shell.ts';
import { VERSION } from './version.ts';

/** The whole tree of commands, with its help. */

export interface Program {
  readonly program: Command;
  readonly examples: ReadonlyMap<Command, readonly string[]>;
}

const globalsOf = (program: Command): Globals => {
  const { json, profile, url, timeout }: Record<string, unknown> = program.opts();
  const seconds = timeout === undefined ? undefined : Number(timeout);
  if (seconds !== undefined && !(seconds > 0)) throw usage('--timeout must be a number of seconds');
  return {
    json: json === true,
    ...(typeof profile === 'string' ? { profile } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(seconds === undefined ? {} : { timeout: seconds }),
  };
};

const exampleLine = (text: string): string => (/\bpentarch\b/.test(text) ? text : `pentarch ${text}`);

/** Stands in the help; main.ts hands it on before the tree is asked. */
const serverPlaceholder = (known: ServerCommand, shell: Shell): Command =>
  shell.finish(
    new Command(known.words.at(-1))
      .description(`${known.about} (on this machine)`)
      .argument('[arguments...]'),
    known.examples,
  );

const EXTRA: Readonly<Record<string, (shell: Shell) => Command[]>> = {
  conversations: (shell) => [exportConversations(shell), importConversations(shell)],
  documents: (shell) => [addDocuments(shell)],
  memory: (shell) => [exportMemory(shell), importMemory(shell)],
  mcp: (shell) => [addServer(shell), importServers(shell), callTool(shell)],
  costs: (shell) => [setLimitCommand(shell)],
};

/** Groups that the API has no part in. */
const ON_THIS_MACHINE = [{ name: 'model', about: 'models that run on this machine' }];

const completionsCommand = (shell: Shell, program: Command): Command => {
  const command = new Command('completions')
    .description('A completion script for a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((name: unknown) => {
      const known = SHELLS.find((one) => one === name);
      if (known !== undefined) shell.runtime.stdout.write(completionScript(known, wordsOf(program)));
    });
  return shell.finish(command, [
    'source <(pentarch completions bash)',
    'pentarch completions fish > ~/.config/fish/completions/pentarch.fish',
  ]);
};

const helpTail = `
Exit codes:
${Object.entries(EXIT_CODES)
  .map(([code, about]) => `  ${code.padStart(3)}  ${about}`)
  .join('\n')}

Environment: PENTARCH_URL, PENTARCH_TOKEN, PENTARCH_PROFILE, NO_COLOR.
Each command has examples: pentarch documents add --help
`;

export const buildProgram = (runtime: Runtime): Program => {
  const program = new Command('pentarch');
  const examples = new Map<Command, readonly string[]>();
  const open: Shell['open'] = (_command, options): Context =>
    createContext(runtime, globalsOf(program), options?.newProfile === true);
  const finish = (command: Command, lines: readonly string[]): Command => {
    examples.set(command, lines.map(exampleLine));
    return command.addHelpText(
      'after',
      () => `\nExamples:\n${lines.map((line) => `  ${exampleLine(line)}`).join('\n')}`,
    );
  };
  const shell: Shell = { runtime, open, finish };

  program
    .description('The command line of the Pentarch Agent Platform')
    .version(VERSION)
    .addOption(new Option('--json', 'answers as JSON; errors as JSON on standard error'))
    .addOption(new Option('--profile <name>', 'a remembered sign-in'))
    .addOption(new Option('--url <url>', 'address of the server (PENTARCH_URL)'))
    .addOption(new Option('--timeout <seconds>', 'limit of one call'))
    .configureOutput({
      writeOut: (text) => runtime.stdout.write(text),
      writeErr: (text) => runtime.stderr.write(text),
      getOutHelpWidth: () => (runtime.stdout.isTTY ? (runtime.stdout.columns ?? 80) : 100),
      getErrHelpWidth: () => (runtime.stderr.isTTY ? (runtime.stderr.columns ?? 80) : 100),
    })
    .showSuggestionAfterError()
    .addHelpText('after', helpTail);

  const attach = (parent: Command, command: Command): void => {
    command.copyInheritedSettings(program);
    for (const child of command.commands) child.copyInheritedSettings(program);
    parent.addCommand(command);
  };

  for (const { words } of SERVER_COMMANDS.filter(({ words }) => words.length === 1)) {
    const known = SERVER_COMMANDS.find((one) => one.words === words);
    if (known !== undefined) attach(program, serverPlaceholder(known, shell));
  }
  for (const { name, about } of ON_THIS_MACHINE) {
    const group = new Command(name).description(about);
    for (const known of SERVER_COMMANDS.filter(({ words }) => words.length === 2 && words[0] === name))
      group.addCommand(serverPlaceholder(known, shell));
    attach(program, group);
  }
  for (const command of sessionCommands(shell)) attach(program, command);
  attach(program, chatCommand(shell));
  attach(program, searchCommand(shell));
  for (const { name, about, commands } of GROUPS) {
    const group = new Command(name).description(about);
    const add = (command: ResourceCommand): Command => resourceCommand(command, open, finish);
    for (const command of [...commands.map(add), ...(EXTRA[name]?.(shell) ?? [])]) group.addCommand(command);
    for (const known of SERVER_COMMANDS) {
      if (known.words.length === 2 && known.words[0] === name)
        group.addCommand(serverPlaceholder(known, shell));
    }
    attach(program, group);
  }
  attach(program, eventsCommand(shell));
  attach(program, doctorCommand(shell));
  attach(program, completionsCommand(shell, program));
  return { program, examples };
};
