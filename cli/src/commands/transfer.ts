import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { CliError, usage } from '../errors.ts';
import { readAll } from '../prompt.ts';
import { argument, flagOption, type Shell, textOption } from '../shell.ts';

/** Taking conversations and memory out and in. */

const textOf = (context: Context, name: string): Promise<string> | string =>
  name === '-' ? readAll(context.runtime) : readFileSync(path.resolve(context.runtime.cwd, name), 'utf8');

const written = (context: Context, file: string, text: string): void =>
  writeFileSync(path.resolve(context.runtime.cwd, file), text, { mode: 0o600 });

export const exportMemory = (shell: Shell): Command => {
  const command = new Command('export')
    .description('The own and the shared memory as JSON Lines, in the form of the public MCP memory server')
    .option('-o, --output <file>', 'write to a file')
    .action(async () => {
      const context = shell.open(command);
      const { out, client } = context;
      const text = await client.memory.export();
      const file = textOption(command, 'output');
      const lines = text.split('\n').filter((line) => line.trim() !== '').length;
      if (file !== undefined) {
        written(context, file, text);
        return out.done(`${lines} lines in ${file}`, { file, lines });
      }
      if (out.json) return out.record({ lines, text });
      out.raw(text);
    });
  return shell.finish(command, ['memory export --output memory.jsonl']);
};

export const importMemory = (shell: Shell): Command => {
  const command = new Command('import')
    .description('Take JSON Lines in, in the form of the public MCP memory server')
    .argument('<file>', '"-" reads standard input')
    .addOption(new Option('--visibility <who>', 'who may read it').choices(['private', 'tenant']))
    .action(async () => {
      const context = shell.open(command);
      const lines = await textOf(context, argument(command, 0));
      const visibility = textOption(command, 'visibility');
      const known = (['private', 'tenant'] as const).find((one) => one === visibility);
      context.out.record(
        await context.client.memory.import(lines, known === undefined ? {} : { visibility: known }),
      );
    });
  return shell.finish(command, ['memory import memory.jsonl', 'memory import - < memory.jsonl']);
};

const formatOf = (command: Command): 'json' | 'markdown' =>
  textOption(command, 'format') === 'markdown' ? 'markdown' : 'json';

export const exportConversations = (shell: Shell): Command => {
  const command = new Command('export')
    .description('Conversations as files: one to standard output, or all into a folder')
    .argument('[id]')
    .addOption(new Option('--format <format>', 'of the file (default json)').choices(['json', 'markdown']))
    .option('-o, --output <path>', 'a file, or with --all a folder')
    .option('--all', 'every conversation, the archived and unlisted ones too')
    .action(async () => {
      const context = shell.open(command);
      const { out, client, runtime } = context;
      const format = formatOf(command);
      const output = textOption(command, 'output');
      const id = command.args[0];
      if (flagOption(command, 'all')) {
        if (output === undefined) throw usage('--all needs --output FOLDER');
        const folder = path.resolve(runtime.cwd, output);
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const files: string[] = [];
        for (const status of ['active', 'archived', 'unlisted'] as const) {
          for await (const one of client.conversations.listAll({ limit: 100, status })) {
            const file = `${one.id}.${format === 'json' ? 'json' : 'md'}`;
            writeFileSync(path.join(folder, file), await client.conversations.export(one.id, { format }), {
              mode: 0o600,
            });
            files.push(file);
          }
        }
        return out.done(`${files.length} conversations in ${output}`, { folder: output, files });
      }
      if (id === undefined) throw usage('name a conversation, or take all with --all');
      const text = await client.conversations.export(id, { format });
      if (output !== undefined) {
        written(context, output, text);
        return out.done(`written to ${output}`, { file: output });
      }
      if (out.json && format === 'markdown') return out.record({ text });
      out.raw(text.endsWith('\n') ? text : `${text}\n`);
    });
  return shell.finish(command, [
    'conversations export ID --format markdown',
    'conversations export --all --output ./conversations',
  ]);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Exported {
  readonly id: string;
  readonly title: string | null;
  readonly metadata: Record<string, unknown>;
  readonly transcript: string;
}

/** The JSON of an export, read with care: it may come from anywhere. */
const exportedOf = (text: string, name: string): Exported => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage(`${name} is no JSON`, 'exports in Markdown cannot be taken in again');
  }
  const outer = isRecord(value) ? value : {};
  const conversation = isRecord(outer.conversation) ? outer.conversation : outer;
  const messages = Array.isArray(outer.messages) ? outer.messages : conversation.messages;
  if (typeof conversation.id !== 'string' || !Array.isArray(messages)) {
    throw usage(`${name} is no exported conversation`);
  }
  const parts = messages.filter(isRecord).map(({ role, agent_id: agent, content }) => {
    const who = role === 'user' ? 'Person' : typeof agent === 'string' ? agent : String(role);
    return `## ${who}\n\n${typeof content === 'string' ? content : ''}`;
  });
  return {
    id: conversation.id,
    title: typeof conversation.title === 'string' ? conversation.title : null,
    metadata: isRecord(conversation.metadata) ? conversation.metadata : {},
    transcript: parts.join('\n\n'),
  };
};

export const importConversations = (shell: Shell): Command => {
  const command = new Command('import')
    .description(
      'Take exported conversations in: each becomes a new conversation, and its transcript a private document that agents cite',
    )
    .argument('<file...>')
    .action(async () => {
      const context = shell.open(command);
      const { client, out } = context;
      const items: { file: string; conversation_id: string; document_id: string | null }[] = [];
      // All are read before the first is sent: a wrong file stops nothing half-way.
      const read = await Promise.all(
        command.args.map(async (file) => ({ file, exported: exportedOf(await textOf(context, file), file) })),
      );
      for (const { file, exported } of read) {
        const title = exported.title ?? `Conversation ${exported.id}`;
        const metadata = { ...exported.metadata, imported_from: exported.id };
        // The same key for the same file: a second import within a day makes no second conversation.
        const made = await client.conversations.create(
          { title, metadata },
          { idempotencyKey: `cli-import-${exported.id}` },
        );
        const document =
          exported.transcript === ''
            ? null
            : await client.knowledge.uploadDocument(`# ${title}\n\n${exported.transcript}\n`, {
                filename: `${exported.id}.md`,
                title,
                metadata: { tags: ['conversation'], conversation_id: made.id },
                visibility: 'private',
              });
        items.push({ file, conversation_id: made.id, document_id: document?.id ?? null });
      }
      if (items.length === 0) throw new CliError('nothing to import', 2);
      out.list({ items, total: items.length, nextCursor: null }, ['file', 'conversation_id', 'document_id']);
    });
  return shell.finish(command, ['conversations import conversations/*.json']);
};
