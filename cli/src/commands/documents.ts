import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { CreateDocumentRequest, Document } from 'pentarch-sdk';
import { createBar } from '../bar.ts';
import type { Context } from '../context.ts';
import { CliError, failureOf, usage } from '../errors.ts';
import { jsonOption } from '../perform.ts';
import { flagOption, type Shell, textOption } from '../shell.ts';

/**
 * Uploading files and folders. It can be stopped and begun again at any time: what the server has already, byte for byte,
 * is not sent a second time.
 */

interface LocalFile {
  readonly name: string;
  /** Path, or the address that the server reads itself. */
  readonly file: string;
  /** 0 for an address. */
  readonly sizeBytes: number;
}

interface Outcome {
  readonly file: string;
  readonly status: 'added' | 'present' | 'processing' | 'failed';
  readonly id: string | null;
  readonly error: string | null;
}

/** Files of a folder in a fixed order; hidden ones and links out of it are left out. */
const filesIn = (folder: string, prefix: string): LocalFile[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name);
      const name = `${prefix}/${entry.name}`;
      if (entry.isDirectory()) return filesIn(file, name);
      return entry.isFile() ? [{ name, file, sizeBytes: statSync(file).size }] : [];
    });

const filesOf = (given: readonly string[], cwd: string): LocalFile[] => {
  const found = given.flatMap((name) => {
    if (isAddress(name)) return [{ name, file: name, sizeBytes: 0 }];
    const file = path.resolve(cwd, name);
    const known = statSync(file, { throwIfNoEntry: false });
    if (known === undefined) throw usage(`there is no ${name}`);
    return known.isDirectory()
      ? filesIn(file, name.replace(/(?<!\/)\/+$/, ''))
      : [{ name, file, sizeBytes: known.size }];
  });
  return [...new Map(found.map((one) => [one.file, one])).values()];
};

const hashOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest('hex');
};

/** Own documents by the hash of their bytes. */
const presentAt = async ({ client }: Context): Promise<Map<string, string>> => {
  const me = await client.auth.getMe();
  const known = new Map<string, string>();
  for await (const { id, sha256, created_by: owner } of client.knowledge.listDocumentsAll({ limit: 100 })) {
    if (owner === me.sub) known.set(sha256, id);
  }
  return known;
};

type Role = NonNullable<CreateDocumentRequest['roles']>[number];
const ROLES: readonly Role[] = ['admin', 'operator', 'analyst', 'user', 'readonly'];

/** `--roles` alone means the visibility role. */
const sharingOf = (command: Command): Pick<CreateDocumentRequest, 'visibility' | 'roles'> => {
  const text = textOption(command, 'visibility');
  const names = textOption(command, 'roles');
  const roles = names?.split(',').map((name) => {
    const role = ROLES.find((one) => one === name.trim());
    if (role === undefined) throw usage(`--roles must be some of ${ROLES.join(', ')}`);
    return role;
  });
  if (text === 'role' && roles === undefined) throw usage('--visibility role needs --roles');
  if (roles !== undefined && text !== undefined && text !== 'role')
    throw usage('--roles stands with --visibility role only');
  if (roles !== undefined) return { visibility: 'role', roles };
  return text === 'private' || text === 'tenant' ? { visibility: text } : {};
};

const LOOK_MS = 1_000;

/** `12 of 872 pages`, `640 of 1200 passages`: the further of the two. */
const progressOf = ({ progress }: Document): string => {
  if (progress === null || progress === undefined) return '';
  const { pages_done: pages, pages: allPages, chunks_done: chunks, chunks: allChunks } = progress;
  if (allChunks !== null) return `${chunks} of ${allChunks} passages`;
  return allPages === null ? 'waits or is read' : `${pages ?? 0} of ${allPages} pages`;
};

/** Until the server has read it. Throws what is wrong with the file. */
const readToTheEnd = async (
  { client }: Pick<Context, 'client'>,
  sent: Document,
  how: { signal: AbortSignal; tell(text: string): void },
): Promise<Document> => {
  let document = sent;
  while (document.status === 'processing') {
    how.tell(progressOf(document));
    await delay(LOOK_MS, undefined, { signal: how.signal });
    document = await client.knowledge.getDocument(document.id, { signal: how.signal });
  }
  if (document.status === 'failed')
    throw new CliError(
      document.error?.message ?? 'the file could not be read',
      6,
      `pentarch documents retry ${document.id}`,
    );
  return document;
};

const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const add = async (command: Command, context: Context): Promise<void> => {
  const { client, out, runtime } = context;
  const files = filesOf(command.args, runtime.cwd);
  if (files.length === 0) throw usage('there are no files in it');
  const title = textOption(command, 'title');
  if (title !== undefined && files.length > 1) throw usage('--title is for one file');
  const externalId = textOption(command, 'externalId');
  if (externalId !== undefined && files.length > 1) throw usage('--external-id is for one file');
  const metadataText = textOption(command, 'metadata');
  const metadata =
    metadataText === undefined ? undefined : jsonOption(metadataText, '--metadata', runtime.cwd);
  if (metadata !== undefined && !isRecord(metadata)) throw usage('--metadata must be a JSON object');
  const parallel = Number(textOption(command, 'parallel') ?? 4);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 32) throw usage('--parallel must be 1 to 32');
  const sharing = sharingOf(command);
  const anew = flagOption(command, 'again') || externalId !== undefined;
  const known = anew ? new Map<string, string>() : await presentAt(context);

  const stopped = new AbortController();
  const forget = runtime.onInterrupt(() => stopped.abort());
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const live = runtime.stderr.isTTY && !out.json;
  const bar = createBar(out, live, totalBytes, runtime.stderr.columns ?? 80);
  const outcomes: Outcome[] = [];

  const fields = {
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
    ...sharing,
  };
  const background = flagOption(command, 'background');
  const headers: Record<string, string> = background ? { prefer: 'respond-async' } : {};
  const ended = async (name: string, sent: Document): Promise<Outcome> => {
    const whole = background
      ? sent
      : await readToTheEnd(context, sent, {
          signal: stopped.signal,
          tell: (text) => bar.reading(`${name}  ${text}`),
        });
    const isRead = whole.status !== 'processing';
    bar.finished(`+ ${name}  ${whole.id}  ${isRead ? `${whole.chunk_count} passages` : 'is being read'}`);
    return { file: name, status: isRead ? 'added' : 'processing', id: whole.id, error: null };
  };
  const send = async ({ name, file, sizeBytes }: LocalFile): Promise<Outcome> => {
    if (isAddress(file)) {
      const document = await client.knowledge.createDocument(
        { ...fields, url: file, ...(externalId === undefined ? {} : { external_id: externalId }) },
        { signal: stopped.signal, headers },
      );
      return ended(name, document);
    }
    const sha256 = await hashOf(file);
    const there = known.get(sha256);
    if (there !== undefined) {
      bar.progress(name, sizeBytes);
      bar.finished(`= ${name} is there already`);
      return { file: name, status: 'present', id: there, error: null };
    }
    const document = await client.knowledge.uploadDocument(await openAsBlob(file), {
      filename: path.basename(file),
      ...fields,
      ...(externalId === undefined ? {} : { externalId }),
      signal: stopped.signal,
      headers,
      // The form around a small file adds a few bytes: the file counts as sent at its own size.
      onProgress: ({ sentBytes }) => bar.progress(name, Math.min(sentBytes, sizeBytes)),
    });
    known.set(sha256, document.id);
    return ended(name, document);
  };

  const queue = [...files];
  let failure: unknown = null;
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !stopped.signal.aborted; next = queue.shift()) {
      try {
        outcomes.push(await send(next));
      } catch (error) {
        if (stopped.signal.aborted) return;
        const { message, exitCode } = failureOf(error);
        failure ??= error;
        outcomes.push({ file: next.name, status: 'failed', id: null, error: message });
        bar.finished(`! ${next.name}: ${message}`);
        // Not signed in, not allowed, not reachable: the next file would fare no better.
        if (exitCode === 3 || exitCode === 4 || exitCode === 9 || exitCode === 11) queue.length = 0;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: parallel }, worker));
  } finally {
    forget();
    bar.close();
  }

  const count = (status: Outcome['status']): number => outcomes.filter((one) => one.status === status).length;
  const order = new Map(files.map(({ name }, n) => [name, n]));
  outcomes.sort((a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0));
  if (stopped.signal.aborted) {
    throw new CliError(
      `stopped after ${outcomes.length} of ${files.length}`,
      130,
      'the same command goes on from here',
    );
  }
  const left = files.length - outcomes.length;
  const summary = {
    added: count('added'),
    processing: count('processing'),
    present: count('present'),
    failed: count('failed') + left,
  };
  if (files.length === 1 && failure !== null) throw failure;
  const reading = summary.processing === 0 ? '' : `${summary.processing} being read, `;
  out.done(`${summary.added} added, ${reading}${summary.present} there already, ${summary.failed} failed`, {
    ...summary,
    items: outcomes,
  });
  if (failure !== null)
    runtime.exit(summary.added + summary.processing + summary.present > 0 ? 13 : failureOf(failure).exitCode);
};

export const addDocuments = (shell: Shell): Command => {
  const command = new Command('add')
    .description('Upload and index files, folders and web addresses; what is there already is not sent again')
    .argument('<path...>')
    .option('--title <text>', 'for one file')
    .option('--metadata <json>', 'free fields, or @FILE; "tags" can be searched by')
    .addOption(new Option('--visibility <who>', 'who may read it').choices(['private', 'tenant', 'role']))
    .option('--roles <list>', 'roles that may read it, with commas')
    .option('--external-id <name>', 'for one file: the same name again replaces its content')
    .option('--parallel <n>', 'files at a time (default 4)')
    .option('--background', 'do not wait until they are read')
    .option('--again', 'do not look for what is there already')
    .action(() => add(command, shell.open(command)));
  return shell.finish(command, [
    'documents add handbook.pdf --background',
    'documents add handbook.pdf --title "Keeper’s handbook" --visibility tenant',
    'documents add ./manuals ./minutes --metadata \'{"tags": ["north"]}\'',
    'documents add https://example.org/tide-table.pdf --external-id tides --roles analyst,operator',
  ]);
};
