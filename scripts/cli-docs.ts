import { readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import type { Runtime } from '../cli/src/context.ts';
import { EXIT_CODES } from '../cli/src/errors.ts';
import { buildProgram } from '../cli/src/program.ts';

/** `npm run docs` writes docs/cli.md from the tree of commands; `--check` says whether it is fresh. */

const FILE = 'docs/cli.md';

const silent = { write: () => {}, isTTY: false, columns: undefined };
const runtime: Runtime = {
  env: {},
  cwd: '.',
  stdin: new PassThrough(),
  stdout: silent,
  stderr: silent,
  now: () => 0,
  onInterrupt: () => () => {},
  interrupt: () => {},
  exit: () => {},
};

const { program, examples } = buildProgram(runtime);
const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const leaf = (command: Command, path: string): string => {
  const usage = [
    path,
    ...command.registeredArguments.map((one) => {
      const name = `${one.name()}${one.variadic ? '…' : ''}`;
      return one.required ? `<${name}>` : `[${name}]`;
    }),
  ].join(' ');
  const rows = command.options
    .filter(({ hidden }) => !hidden)
    .map(
      ({ flags, description, argChoices }) =>
        `| ${code(flags)} | ${cell(description)}${argChoices === undefined ? '' : `: ${argChoices.join(', ')}`} |`,
    );
  const options = rows.length === 0 ? '' : `\n| option | |\n|---|---|\n${rows.join('\n')}\n`;
  const lines = examples.get(command) ?? [];
  const shown = lines.length === 0 ? '' : `\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`;
  return `### ${usage}\n\n${cell(command.description())}.\n${options}${shown}`;
};

const section = (command: Command): string => {
  const path = `pentarch ${command.name()}`;
  if (command.commands.length === 0) return leaf(command, path).replace('###', '##');
  const inner = command.commands.map((child) => leaf(child, `${path} ${child.name()}`));
  return `## ${path}\n\nAbout ${cell(command.description())}.\n\n${inner.join('\n')}`;
};

const globals = program.options.map(({ flags, description }) => `| ${code(flags)} | ${cell(description)} |`);
const text = `# Command line

<!-- Generated from cli/src by "npm run docs"; do not edit. -->

\`pentarch\` does from a terminal what the API can do: \`npx pentarch …\` in this repository. It reaches the server through
the TypeScript client (docs/clients.md).

\`\`\`sh
npx pentarch login --url http://localhost:8080
npx pentarch documents add ./manuals --visibility tenant
npx pentarch chat "How many leave days does a first assistant have?"
\`\`\`

**Where and as whom.** Flags win over the environment (\`PENTARCH_URL\`, \`PENTARCH_TOKEN\`, \`PENTARCH_PROFILE\`), the environment
over the profile in use. Profiles stand in \`$XDG_CONFIG_HOME/pentarch/profiles.json\` (\`~/.config\` without it), mode 0600. The
token of a profile goes to the profile's own address only. A sign-in is renewed by itself; commands that run at the same
time take turns at it.

**Output.** Answers go to standard output, everything about them to standard error. Tables fit the terminal; piped ones
are whole and without colour (also with \`NO_COLOR\`). With \`--json\` every command prints JSON: a list is \`{items, total,
next_cursor}\`, an error goes to standard error as \`{"error": {code, reason, message, hint, request_id, exit_code,
fields}}\`. What a server sends cannot steer the terminal.

**Options for fields.** Fields of a request are options of their own; \`--data\` takes the whole body as JSON or \`@FILE\`.
Lists take several values (\`--roles analyst user\`), \`""\` is an empty list; \`null\` takes away what may be absent.

**Uploads** can be broken off and begun again: what the server has already, byte for byte, is not sent again.
**Ctrl-C** in a chat cancels the run at the server and keeps what was said; a second one leaves at once.

| option of all commands | |
|---|---|
${globals.join('\n')}

| exit code | |
|---|---|
${Object.entries(EXIT_CODES)
  .map(([number, about]) => `| ${number} | ${cell(about)} |`)
  .join('\n')}

${program.commands.map(section).join('\n')}`;

const committed = (): string => {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return '';
  }
};

if (process.argv.includes('--check')) {
  const fresh = committed() === text;
  process.stdout.write(
    fresh ? `${examples.size} commands\n` : `${FILE} is stale: run "npm run docs" and commit it\n`,
  );
  process.exit(fresh ? 0 : 1);
}
writeFileSync(FILE, text);
