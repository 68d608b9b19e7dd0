import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { fileBombs } from '../../../test/support/cases.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/** Files that are made to hurt whoever reads them: each ends with an answer, and the platform goes on meanwhile. */

const REFUSED = [400, 413, 415, 422];
const WORKER_ROOM_BYTES = 256 * 1024 * 1024;

let server: TestServer;
let client: Client;
const it = withServer();
it.beforeAll(({ world }) => {
  ({ server, admin: client } = world);
});

const upload = async (name: string, mime: string, bytes: Uint8Array) => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: mime }), name);
  const answer = await fetch(`${server.url}/v2/knowledge/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.token ?? ''}` },
    body: form,
    signal: AbortSignal.timeout(60_000),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

/** Of all files that were uploaded and kept; 0 where they are kept in PostgreSQL. */
const storedBytes = (): number => {
  let sum = 0;
  if (!existsSync(path.join(server.dataDir, 'blobs'))) return 0;
  for (const entry of readdirSync(path.join(server.dataDir, 'blobs'), {
    recursive: true,
    withFileTypes: true,
  })) {
    if (entry.isFile()) sum += readFileSync(path.join(entry.parentPath, entry.name)).length;
  }
  return sum;
};

/** Resident bytes of each process that the server has started; empty where /proc does not tell. */
const residentOfChildren = (): Map<string, number> => {
  const found = new Map<string, number>();
  try {
    const tasks = readdirSync(`/proc/${server.pid}/task`);
    for (const task of tasks) {
      const children = readFileSync(`/proc/${server.pid}/task/${task}/children`, 'utf8').split(' ');
      for (const pid of children.filter((text) => text !== '')) {
        const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
        found.set(pid, Number(pages) * 4096);
      }
    }
  } catch {
    // A process that ended between two reads, or no Linux.
  }
  return found;
};

const textOf = async (id: string): Promise<string> => {
  const chunks = await client.get(`/v2/knowledge/documents/${id}/chunks`);
  expect(chunks.status).toBe(200);
  return chunks
    .json<{ items: { content: string }[] }>()
    .items.map((chunk) => chunk.content)
    .join('\n');
};

const ENDS: Record<string, (text: string | null) => void> = {
  'flate-twice-256MiB.pdf': (text) => expect(text).toBeNull(),
  'count-lie.pdf': (text) => expect([null, 'hello']).toContain(text?.trim() ?? null),
  'javascript-openaction.pdf': (text) => expect(text).toContain('hello'),
  'hidden-text.pdf': (text) => expect(text).toContain('Quarterly figures are fine.'),
  'truncated.pdf': (text) => expect(text).toBeNull(),
  // Told by its content: a page without text.
  'not-a-pdf.pdf': (text) => expect(text).toBeNull(),
  'empty.pdf': (text) => expect(text).toBeNull(),
  'spaces-64MiB.docx': (text) => expect(text).toBeNull(),
  'xxe.docx': (text) => expect(text ?? '').not.toContain(readFileSync('/etc/hostname', 'utf8').trim() || '?'),
  'svg-xss.svg': (text) => expect(text).toBeNull(),
};

describe('a file that is a trap', () => {
  it('has an outcome here for each row', () => {
    expect(fileBombs().map(({ name }) => name)).toEqual(Object.keys(ENDS));
  });

  it.each(fileBombs())('$name', async ({ name, mime, bytes }) => {
    await upload('before.txt', 'text/plain', Buffer.from(`Before ${name} came.`));
    const before = storedBytes();
    const rest = residentOfChildren();
    let most = 0;
    let done = false;
    const watching = (async () => {
      while (!done) {
        for (const [pid, resident] of residentOfChildren()) {
          // Of a process that starts meanwhile: above what it held when it was first seen.
          if (!rest.has(pid)) rest.set(pid, resident);
          most = Math.max(most, resident - (rest.get(pid) ?? 0));
        }
        const alive = await client.get('/v2/knowledge/documents?limit=1');
        expect(alive.status).toBe(200);
      }
    })();
    let text: string | null = null;
    try {
      const answer = await upload(name, mime, bytes);
      if (answer.status === 201) {
        text = await textOf(String(answer.body.id));
        expect((await client.delete(`/v2/knowledge/documents/${answer.body.id}`)).status).toBe(204);
      } else {
        expect(REFUSED).toContain(answer.status);
        expect(answer.body.code).toMatch(/^[A-Z_]+$/);
      }
    } finally {
      done = true;
      await watching;
    }
    ENDS[name]?.(text);
    expect(most).toBeLessThan(WORKER_ROOM_BYTES);
    const after = await upload('after.txt', 'text/plain', Buffer.from(`After ${name} came, all is well.`));
    expect(after.status).toBe(201);
    expect(storedBytes()).toBeLessThan(before + 4096);
  });
});
