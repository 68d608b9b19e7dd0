import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Caller } from '../../../kernel/caller.ts';
import {
  type BuiltinServer,
  type BuiltinTool,
  BuiltinToolError,
  jsonResult,
  textResult,
} from '../builtin-runtime.ts';

/**
 * Text files in a folder of each user under the data directory. A path of the caller never leaves that folder: it is
 * taken apart before use, and no part of it may be a symbolic link.
 */

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ENTRIES = 1_000;
const MAX_FILES_PER_USER = 5_000;
/** Of all files of a user together. */
const MAX_USER_BYTES = 100 * MAX_FILE_BYTES;
const MAX_DEPTH = 16;

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Name of the folder that holds the folders of a tenant's users. */
export const tenantFolder = (tenantId: string): string => hashed(tenantId);

/** Parts of a relative path; refuses what leads elsewhere or cannot be a name. */
const partsOf = (given: string): string[] => {
  const parts = given
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (parts.length > MAX_DEPTH) throw new BuiltinToolError('the path is too deep');
  for (const part of parts) {
    // Colons name streams on some systems.
    if (part === '..' || /[\u0000-\u001f:]/.test(part) || Buffer.byteLength(part) > 255) {
      throw new BuiltinToolError(`not a path in this folder: ${given}`);
    }
  }
  return parts;
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const explain = (error: unknown, given: string): never => {
  if (error instanceof BuiltinToolError) throw error;
  if (isMissing(error)) throw new BuiltinToolError(`there is no ${given}`);
  if (error instanceof Error && 'code' in error) {
    if (error.code === 'EISDIR') throw new BuiltinToolError(`${given} is a folder`);
    if (error.code === 'ENOTEMPTY') throw new BuiltinToolError(`${given} is not empty`);
    if (error.code === 'ELOOP') throw new BuiltinToolError(`${given} is a link`);
  }
  throw error;
};

const pathSchema = { type: 'string', maxLength: 1_000, description: 'Relative to the folder, with /' };
const schema = (properties: Record<string, unknown>, required: string[]): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const READ = { readOnlyHint: true, openWorldHint: false };
const WRITE = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const DELETE = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/**
 * The files of a person for the export and the erasure of their data. `root` as for the server. What is no UTF-8 text is
 * handed out in base64.
 */
export const filesOfPeople = (root: string) => {
  const homeOf = (person: { tenantId: string; userId: string }): string =>
    path.join(root, tenantFolder(person.tenantId), hashed(person.userId));
  const filesIn = async (home: string): Promise<string[]> => {
    const entries = await readdir(home, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  };
  return {
    name: 'files',
    async exportData(person: { tenantId: string; userId: string }) {
      const home = homeOf(person);
      const files: { path: string; encoding: 'utf-8' | 'base64'; content: string }[] = [];
      for (const file of (await filesIn(home)).sort()) {
        const bytes = await readFile(file);
        const encoding = isUtf8(bytes) ? 'utf-8' : 'base64';
        files.push({
          path: path.relative(home, file).split(path.sep).join('/'),
          encoding,
          content: bytes.toString(encoding),
        });
      }
      return files;
    },
    async eraseData(person: { tenantId: string; userId: string }): Promise<number> {
      const home = homeOf(person);
      const { length } = await filesIn(home);
      await rm(home, { recursive: true, force: true });
      return length;
    },
  };
};

/** `root`: a folder that belongs to this server alone. */
export const createFilesServer = (root: string): BuiltinServer => {
  const homeOf = async (caller: Caller): Promise<string> => {
    const home = path.join(root, tenantFolder(caller.tenantId), hashed(caller.userId));
    await mkdir(home, { recursive: true, mode: 0o700 });
    return realpath(home);
  };

  /** The place of `given`, with every folder on the way a real one. */
  const locate = async (caller: Caller, given: string, makeFolders = false): Promise<string> => {
    const parts = partsOf(given);
    let at = await homeOf(caller);
    for (const [i, part] of parts.entries()) {
      at = path.join(at, part);
      const last = i === parts.length - 1;
      const stat = await lstat(at).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (stat?.isSymbolicLink()) throw new BuiltinToolError(`${given} is a link`);
      if (!last && stat === null && makeFolders) await mkdir(at, { mode: 0o700 });
      else if (!last && stat !== null && !stat.isDirectory())
        throw new BuiltinToolError(`${part} is not a folder`);
    }
    return at;
  };

  const walk = async (home: string, folder: string, limit: number): Promise<string[]> => {
    const found: string[] = [];
    for (const entry of await readdir(path.join(home, folder), { withFileTypes: true })) {
      if (found.length >= limit) break;
      const relative = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) found.push(...(await walk(home, relative, limit - found.length)));
      else if (entry.isFile()) found.push(relative);
    }
    return found;
  };

  /** Bytes of a user's files but the one that is written anew. */
  const usedBytes = async (home: string, files: readonly string[], but: string): Promise<number> => {
    let sum = 0;
    for (const file of files) {
      if (path.join(home, file) === but) continue;
      sum += (await lstat(path.join(home, file)).catch(() => null))?.size ?? 0;
    }
    return sum;
  };

  const tool = (
    definition: Omit<BuiltinTool, 'title' | 'outputSchema' | 'call'>,
    call: (args: Record<string, string>, caller: Caller) => Promise<Record<string, unknown> | string>,
  ): BuiltinTool => ({
    ...definition,
    title: null,
    outputSchema: null,
    async call(args, { caller }) {
      // All properties of these schemas are strings, checked before the call.
      const texts = args as Record<string, string>;
      const result = await call(texts, caller).catch((error: unknown) => explain(error, texts.path ?? '.'));
      return typeof result === 'string' ? textResult(result) : jsonResult(result);
    },
  });

  return {
    name: 'files',
    title: 'Files',
    version: '1.0.0',
    tools: [
      tool(
        {
          name: 'list_files',
          description: 'Files and folders in a folder of your own space',
          inputSchema: schema({ path: pathSchema }, []),
          annotations: READ,
        },
        async (args, caller) => {
          const entries = await readdir(await locate(caller, args.path ?? ''), { withFileTypes: true });
          const items = entries
            .filter((entry) => entry.isFile() || entry.isDirectory())
            .map((entry) => ({ name: entry.name, type: entry.isDirectory() ? 'folder' : 'file' }))
            .sort((a, b) => (a.name < b.name ? -1 : 1));
          return { items: items.slice(0, MAX_ENTRIES), truncated: items.length > MAX_ENTRIES };
        },
      ),
      tool(
        {
          name: 'search_files',
          description: 'Files of your own space whose path holds a text',
          inputSchema: schema({ query: { type: 'string', minLength: 1, maxLength: 200 } }, ['query']),
          annotations: READ,
        },
        async (args, caller) => {
          const all = await walk(await homeOf(caller), '', MAX_FILES_PER_USER);
          const wanted = (args.query ?? '').toLowerCase();
          return { paths: all.filter((file) => file.toLowerCase().includes(wanted)).slice(0, MAX_ENTRIES) };
        },
      ),
      tool(
        {
          name: 'read_file',
          description: 'The text of a file of your own space',
          inputSchema: schema({ path: pathSchema }, ['path']),
          annotations: READ,
        },
        async (args, caller) => {
          const file = await open(
            await locate(caller, args.path ?? ''),
            constants.O_RDONLY | constants.O_NOFOLLOW,
          );
          try {
            const stat = await file.stat();
            if (!stat.isFile()) throw new BuiltinToolError(`${args.path} is no file`);
            if (stat.size > MAX_FILE_BYTES) throw new BuiltinToolError(`${args.path} is larger than 1 MB`);
            return await file.readFile('utf8');
          } finally {
            await file.close();
          }
        },
      ),
      tool(
        {
          name: 'write_file',
          description: 'Writes a text file into your own space, in place of one that is there',
          inputSchema: schema({ path: pathSchema, content: { type: 'string', maxLength: MAX_FILE_BYTES } }, [
            'path',
            'content',
          ]),
          annotations: WRITE,
        },
        async (args, caller) => {
          const content = Buffer.from(args.content ?? '');
          if (content.length > MAX_FILE_BYTES) throw new BuiltinToolError('the text is larger than 1 MB');
          if (partsOf(args.path ?? '').length === 0) throw new BuiltinToolError('a path is needed');
          const home = await homeOf(caller);
          const files = await walk(home, '', MAX_FILES_PER_USER);
          if (files.length >= MAX_FILES_PER_USER) {
            throw new BuiltinToolError(`there are ${MAX_FILES_PER_USER} files already`);
          }
          const target = await locate(caller, args.path ?? '', true);
          if ((await lstat(target).catch(() => null))?.isDirectory()) {
            throw new BuiltinToolError(`${args.path} is a folder`);
          }
          // Fewer files cannot take so much.
          const full =
            (files.length + 1) * MAX_FILE_BYTES > MAX_USER_BYTES &&
            (await usedBytes(home, files, target)) + content.length > MAX_USER_BYTES;
          if (full) throw new BuiltinToolError('there is no room: your files take 100 MB together already');
          // Beside the folders of users, so that a half-written file is never seen.
          const draft = path.join(root, `draft-${process.hrtime.bigint()}`);
          const file = await open(draft, 'wx', 0o600);
          try {
            await file.writeFile(content);
          } finally {
            await file.close();
          }
          await rename(draft, target).catch(async (error: unknown) => {
            await rm(draft, { force: true });
            throw error;
          });
          return `${content.length} bytes written to ${args.path}`;
        },
      ),
      tool(
        {
          name: 'delete_file',
          description: 'Deletes a file or an empty folder of your own space',
          inputSchema: schema({ path: pathSchema }, ['path']),
          annotations: DELETE,
        },
        async (args, caller) => {
          if (partsOf(args.path ?? '').length === 0) throw new BuiltinToolError('a path is needed');
          const target = await locate(caller, args.path ?? '');
          if ((await lstat(target)).isDirectory()) await rmdir(target);
          else await unlink(target);
          return `${args.path} deleted`;
        },
      ),
    ],
  };
};
