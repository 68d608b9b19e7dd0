import { readFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Answer, Client } from '../../../test/support/client.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { expectError, fieldsOf, newPerson } from '../../../test/support/shapes.ts';
import { writeZip } from '../../../test/support/stored-zip.ts';
import { withServer } from '../../../test/support/suite.ts';

/** Exports of ChatGPT, Open WebUI and LibreChat, written by hand after the forms of those products. */

const IMPORT = '/api/v1/conversations/import';
const fixture = (name: string): Buffer =>
  readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'exports', name));
const chatgpt = fixture('chatgpt.json');
const openwebui = fixture('openwebui.json');
const librechat = fixture('librechat.json');

interface Report {
  imported: number;
  skipped: number;
  failed: number;
  conversation_ids: string[];
  errors: { index: number; source_id: string | null; title: string | null; reason: string }[];
}
interface Read {
  title: string;
  status: string;
  created_at: string;
  updated_at: string;
  message_count: number;
  metadata: Record<string, unknown>;
  messages: {
    role: string;
    content: string;
    created_at: string;
    metadata: Record<string, unknown>;
    run_id: null;
  }[];
}

let server: TestServer;
let admin: Client;

const it = withServer({ env: { MAX_UPLOAD_BYTES: '2000000' } });
it.beforeAll(({ world }) => {
  ({ server, admin } = world);
});

const upload = async (client: Client, bytes: Uint8Array, name: string, field = 'file'): Promise<Answer> => {
  const form = new FormData();
  form.set(field, new Blob([new Uint8Array(bytes)]), name);
  const request = new Request('http://x', { method: 'POST', body: form });
  return client.send('POST', IMPORT, new Uint8Array(await request.arrayBuffer()), {
    headers: { 'content-type': request.headers.get('content-type') ?? '' },
  });
};
const read = async (client: Client, id: string): Promise<Read> =>
  (await client.get(`/api/v1/conversations/${id}`)).json<Read>();

describe('import of conversations', () => {
  it(req('IMPORT-01', 'takes a zip of ChatGPT: the branch that was open, with its times'), async () => {
    const person = await newPerson(server, admin);
    const zip = writeZip(
      new Map<string, Uint8Array>([
        ['export/conversations.json', chatgpt],
        ['export/user.json', Buffer.from('{}')],
        ['export/chat.html', Buffer.from('<html></html>')],
      ]),
    );
    const answer = await upload(person, zip, 'export.zip');
    expect(answer.status, answer.text).toBe(200);
    const report = answer.json<Report>();
    expect(report).toMatchObject({ imported: 3, skipped: 0, failed: 2 });
    expect(report.errors).toEqual([
      { index: 2, source_id: 'empty-one', title: 'Nothing in it', reason: 'holds no messages' },
      {
        index: 3,
        source_id: 'alien',
        title: 'Of another kind',
        reason: expect.stringContaining('no known export'),
      },
    ]);
    const lamp = await read(person, report.conversation_ids[0] ?? '');
    expect(lamp).toMatchObject({
      title: 'Lamp oil',
      status: 'active',
      message_count: 2,
      created_at: '2024-05-01T08:00:01.000Z',
      updated_at: '2024-05-01T08:00:05.000Z',
      metadata: { source: 'chatgpt', source_id: '6632-lamp' },
    });
    expect(lamp.messages.map((m) => [m.role, m.content, m.run_id])).toEqual([
      ['user', '[image]\nHow much oil does this lamp need?', null],
      ['assistant', 'About 40 ml a night. 🪔', null],
    ]);
    expect(lamp.messages[1]?.metadata).toEqual({ imported: true, model: 'gpt-4o' });
    const second = await read(person, report.conversation_ids[1] ?? '');
    expect(second.messages.map((m) => m.content)).toEqual(['Second lamp?', 'Yes.']);
    const loop = await read(person, report.conversation_ids[2] ?? '');
    expect(loop.messages.map((m) => m.content)).toEqual(['And', 'Around.']);
  });

  interface Version {
    content: string;
    siblings: { index: number; count: number };
    active: boolean;
  }
  const versions = async (client: Client, id: string): Promise<[string, number, number, boolean][]> =>
    (await client.get(`/api/v1/conversations/${id}/messages?branches=all`))
      .json<{ items: Version[] }>()
      .items.map(({ content, siblings, active }) => [content, siblings.index, siblings.count, active]);

  it(req('TREE-07', 'takes the whole trees of ChatGPT and Open WebUI'), async () => {
    const person = await newPerson(server, admin);
    const lamp = (await upload(person, chatgpt, 'c.json')).json<Report>().conversation_ids[0] ?? '';
    expect(await versions(person, lamp)).toEqual([
      ['[image]\nHow much oil does this lamp need?', 0, 1, true],
      ['An answer that was thrown away.', 0, 2, false],
      ['About 40 ml a night. 🪔', 1, 2, true],
    ]);
    const tides = (await upload(person, openwebui, 'o.json')).json<Report>().conversation_ids[0] ?? '';
    expect(await versions(person, tides)).toEqual([
      ['When is high tide?', 0, 1, true],
      ['A first try.', 0, 2, false],
      ['At six.', 1, 2, true],
      ['Thank you', 0, 1, true],
    ]);
    const first = (await person.get(`/api/v1/conversations/${tides}/messages?branches=all`)).json<{
      items: { id: string }[];
    }>();
    await person.post(`/api/v1/conversations/${tides}/restore`);
    const picked = await person.patch(`/api/v1/conversations/${tides}`, {
      active_message_id: first.items[1]?.id,
    });
    expect(picked.json<Read>().message_count).toBe(2);
    expect((await read(person, tides)).messages.map((m) => m.content)).toEqual([
      'When is high tide?',
      'A first try.',
    ]);
  });

  it(req('TREE-07', 'takes the trees of LibreChat, flat or within each other'), async () => {
    const person = await newPerson(server, admin);
    const report = (await upload(person, librechat, 'l.json')).json<Report>();
    expect(report).toMatchObject({ imported: 2, failed: 0 });
    const [flat = '', nested = ''] = report.conversation_ids;
    expect(await versions(person, flat)).toEqual([
      ['Name a knot', 0, 2, false],
      ['The bowline.', 0, 2, false],
      ['The sheet bend.', 1, 2, false],
      ['Name a good knot', 1, 2, true],
      ['The clove hitch.', 0, 1, true],
    ]);
    expect(await read(person, flat)).toMatchObject({
      title: 'Knots',
      message_count: 2,
      created_at: '2024-05-28T18:08:55.014Z',
      metadata: { source: 'librechat', source_id: 'c0ffee00-0000-4000-8000-000000000001' },
    });
    expect(await versions(person, nested)).toEqual([
      ['Which wind?', 0, 1, true],
      ['North.', 0, 2, false],
      ['South.', 1, 2, true],
      ['Sure?', 0, 1, true],
    ]);
  });

  it(req('IMPORT-02', 'takes each conversation once for each person'), async () => {
    const person = await newPerson(server, admin);
    const first = (await upload(person, chatgpt, 'conversations.json')).json<Report>();
    const again = (await upload(person, chatgpt, 'conversations.json')).json<Report>();
    expect([first.imported, again.imported, again.skipped]).toEqual([3, 0, 3]);
    const other = await newPerson(server, admin);
    expect((await upload(other, chatgpt, 'conversations.json')).json<Report>().imported).toBe(3);
    const listed = (await person.get('/api/v1/conversations')).json<{ total: number }>();
    expect(listed.total).toBe(3);
    // Two at once, too.
    const third = await newPerson(server, admin);
    const both = await Promise.all([1, 2].map(() => upload(third, chatgpt, 'conversations.json')));
    expect(both.map((answer) => answer.json<Report>().imported).reduce((a, b) => a + b)).toBe(3);
    expect((await third.get('/api/v1/conversations')).json<{ total: number }>().total).toBe(3);
  });

  it(req('IMPORT-01', 'takes the JSON of Open WebUI, archived ones too, as a body or a file'), async () => {
    const person = await newPerson(server, admin);
    const answer = await person.post('/v2/conversations/import', {
      conversations: JSON.parse(openwebui.toString('utf8')) as unknown[],
    });
    expect(answer.status, answer.text).toBe(200);
    const report = answer.json<Report>();
    expect(report).toMatchObject({ imported: 2, skipped: 0, failed: 0, errors: [] });
    const tides = await read(person, report.conversation_ids[0] ?? '');
    expect(tides).toMatchObject({ title: 'Tides', status: 'archived' });
    expect(tides.messages.map((m) => m.content)).toEqual(['When is high tide?', 'At six.', 'Thank you']);
    const old = await read(person, report.conversation_ids[1] ?? '');
    expect(old.messages.map((m) => [m.role, m.content])).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Good evening.'],
    ]);
    expect((await upload(person, openwebui, 'chats.json')).json<Report>()).toMatchObject({
      imported: 0,
      skipped: 2,
    });
  });

  it(req('IMPORT-03', 'can be gone on with, searched and exported like one of our own'), async () => {
    const person = await newPerson(server, admin);
    const { conversation_ids: ids } = (await upload(person, openwebui, 'chats.json')).json<Report>();
    const chat = await person.post('/api/v1/chat', {
      message: 'Hello again',
      conversation_id: ids[1],
      context: { agent_id: 'zeus' },
    });
    expect(chat.status, chat.text).toBe(200);
    expect((await read(person, ids[1] ?? '')).messages.map((m) => m.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    const found = (await person.get('/api/v1/conversations?q=evening')).json<{ items: { id: string }[] }>();
    expect(found.items.map((item) => item.id)).toEqual([ids[1]]);
    expect((await person.get(`/api/v1/conversations/${ids[0]}/export?format=markdown`)).text).toContain(
      'At six.',
    );
    const stranger = await newPerson(server, admin);
    expect((await stranger.get(`/api/v1/conversations/${ids[0]}`)).status).toBe(404);
  });

  it(req('IMPORT-02', 'an Idempotency-Key gets the first report again'), async () => {
    const person = await newPerson(server, admin);
    const headers = { 'idempotency-key': 'import-1', 'content-type': 'application/json' };
    const first = await person.send('POST', IMPORT, openwebui.toString('utf8'), { headers });
    const again = await person.send('POST', IMPORT, openwebui.toString('utf8'), { headers });
    expect(first.json<Report>().imported).toBe(2);
    expect(again.json()).toEqual(first.json());
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await person.send('POST', IMPORT, '[]', { headers })).status).toBe(422);
  });

  it(req('IMPORT-04', 'refuses what is no export, and what is too large'), async () => {
    const cases: [Uint8Array, string, number][] = [
      [Buffer.from('{"a":1}'), '/', 422],
      [Buffer.from('no json'), '/file', 422],
      [Buffer.from('PK\u0003\u0004 and no more'), '/file', 422],
      [writeZip(new Map([['other.json', Buffer.from('[]')]])), '/file', 422],
    ];
    for (const [bytes, field, status] of cases) {
      const answer = await upload(admin, bytes, 'x');
      expect(fieldsOf(expectError(answer, IMPORT, status, 'VALIDATION_ERROR'))).toEqual([field]);
    }
    expect(
      fieldsOf(expectError(await upload(admin, openwebui, 'x', 'upload'), IMPORT, 422, 'VALIDATION_ERROR')),
    ).toEqual(['/upload']);
    expectError(await upload(admin, Buffer.alloc(2_100_000), 'x'), IMPORT, 413, 'PAYLOAD_TOO_LARGE');
    const many = Array.from({ length: 10_001 }, () => ({}));
    expectError(await admin.post(IMPORT, many), IMPORT, 422, 'VALIDATION_ERROR');
    const readonly = await newPerson(server, admin, { roles: ['readonly'] });
    expectError(await readonly.post(IMPORT, []), IMPORT, 403, 'FORBIDDEN');
    expectError(
      await admin.send('POST', IMPORT, 'x', { headers: { 'content-type': 'text/plain' } }),
      IMPORT,
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  it(req('IMPORT-04', 'an archive that unpacks without end is 413'), async () => {
    const bomb = deflateRawSync(Buffer.alloc(80 * 1024 * 1024, 0x20));
    const answer = await upload(admin, deflatedZip('conversations.json', bomb, 80 * 1024 * 1024), 'bomb.zip');
    expectError(answer, IMPORT, 413, 'PAYLOAD_TOO_LARGE');
  });
});

/** A zip with one part that is compressed already. */
const deflatedZip = (name: string, packed: Uint8Array, sizeBytes: number): Uint8Array => {
  const stored = Buffer.from(writeZip(new Map([[name, packed]])));
  const directory = stored.indexOf(Buffer.from('PK\u0001\u0002'));
  stored.writeUInt16LE(8, 8);
  stored.writeUInt32LE(sizeBytes, 22);
  stored.writeUInt16LE(8, directory + 10);
  stored.writeUInt32LE(sizeBytes, directory + 24);
  return stored;
};
