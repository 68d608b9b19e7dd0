import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sockets, startSockets, taskEvent } from '../../../test/realtime/harness.ts';
import { req } from '../../../test/requirements.ts';
import { frame, openRaw } from '../../../test/support/socket-client.ts';

/** Every row of websocket-cases.json against the real door, with frames made by hand where a proper client cannot. */
interface Case {
  id: string;
  category: string;
  hex?: string;
}
const { cases } = JSON.parse(
  readFileSync(new URL('../../../test/cases/websocket-cases.json', import.meta.url), 'utf8'),
) as { cases: Case[] };

const TEXT = 0x81;
const BINARY = 0x82;
const CLOSE = 0x88;
const PING = 0x89;
const token = { authorization: 'Bearer ann.user.t1' };

let s: Sockets;
beforeAll(async () => {
  s = await startSockets({ heartbeatMs: 60_000 });
});
afterAll(() => s.close());

type Raw = Awaited<ReturnType<typeof openRaw>>;

const join = async (): Promise<Raw> => {
  const raw = await openRaw(s.port, token);
  expect((await raw.upgrade()).status).toBe(101);
  await raw.until(() => raw.frames().length > 0, 'ready');
  return raw;
};

const closeCode = (raw: Raw): number | null => {
  const closing = raw.frames().find((f) => f.opcode === 8);
  return closing === undefined || closing.payload.length < 2 ? null : closing.payload.readUInt16BE(0);
};

/** Sends frames; gives the close code, or null for a plain drop. */
const closes = async (...frames: Buffer[]): Promise<number | null> => {
  const raw = await join();
  for (const bytes of frames) raw.write(bytes);
  await raw.until(() => raw.ended() || closeCode(raw) !== null, 'close');
  const code = closeCode(raw);
  raw.destroy();
  return code;
};

const code16 = (code: number): Buffer => Buffer.from([code >> 8, code & 0xff]);
const ping = JSON.stringify({ type: 'ping' });

/** The door still works for others. */
const stillUp = async (): Promise<void> => {
  const raw = await join();
  raw.write(frame(TEXT, Buffer.from(ping)));
  await raw.until(() => raw.frames().some((f) => f.payload.includes('"pong"')), 'pong');
  raw.destroy();
};

const checks: Record<string, () => Promise<void>> = {
  'close-1byte': async () => expect([1002, null]).toContain(await closes(frame(CLOSE, Buffer.from([3])))),
  'close-126': async () =>
    expect([1002, null]).toContain(
      await closes(frame(CLOSE, Buffer.concat([code16(1000), Buffer.alloc(124, 97)]))),
    ),
  'close-badutf8': async () =>
    expect([1002, 1007, null]).toContain(
      await closes(frame(CLOSE, Buffer.concat([code16(1000), Buffer.from([0xc0, 0xaf])]))),
    ),
  rsv: async () => expect(await closes(frame(0xc1, Buffer.from(ping)))).toBe(1002),
  op3: async () => expect(await closes(frame(0x83, Buffer.from(ping)))).toBe(1002),
  op11: async () => expect(await closes(frame(0x8b, Buffer.alloc(0)))).toBe(1002),
  unmasked: async () => expect(await closes(frame(TEXT, Buffer.from(ping), { mask: false }))).toBe(1002),
  ping126: async () => expect(await closes(frame(PING, Buffer.alloc(126)))).toBe(1002),
  'ping-frag': async () => expect(await closes(frame(0x09, Buffer.from('x')))).toBe(1002),
  ping125: async () => {
    const raw = await join();
    const payload = Buffer.alloc(125, 0x61);
    raw.write(frame(PING, payload));
    await raw.until(() => raw.frames().some((f) => f.opcode === 10), 'pong frame');
    expect(
      raw
        .frames()
        .find((f) => f.opcode === 10)
        ?.payload.equals(payload),
    ).toBe(true);
    raw.destroy();
  },
  'cont-first': async () => expect(await closes(frame(0x80, Buffer.from('x')))).toBe(1002),
  'two-starts': async () =>
    expect(await closes(frame(0x01, Buffer.from('{')), frame(TEXT, Buffer.from('}')))).toBe(1002),
  'len64-huge': async () => {
    const before = process.memoryUsage().rss;
    expect([1002, 1009, null]).toContain(
      await closes(frame(TEXT, Buffer.from('x'), { length64: 2n ** 62n })),
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  },
  'over-limit': async () => expect(await closes(frame(TEXT, Buffer.alloc(1024 * 1024 + 1, 0x20)))).toBe(1009),
  binary: async () => expect(await closes(frame(BINARY, Buffer.from(ping)))).toBe(1003),
  'not-json': async () => {
    const raw = await join();
    raw.write(frame(TEXT, Buffer.from('foo')));
    await raw.until(() => raw.frames().some((f) => f.payload.includes('VALIDATION_ERROR')), 'error');
    expect(raw.ended()).toBe(false);
    raw.destroy();
  },
  // The contract lets the token come in the first message, so an upgrade without one is not refused: it has 10 s.
  'no-auth': async () => {
    const raw = await openRaw(s.port);
    expect((await raw.upgrade()).status).toBe(101);
    raw.write(frame(TEXT, Buffer.from(ping)));
    await raw.until(() => closeCode(raw) !== null, 'close');
    expect(closeCode(raw)).toBe(4401);
    raw.destroy();
  },
  'bad-auth': async () => {
    s.accounts.expireAt('old.user.t1', Date.now() - 1);
    const raw = await openRaw(s.port, { authorization: 'Bearer old.user.t1' });
    expect((await raw.upgrade()).status).toBe(401);
    await raw.until(() => raw.ended(), 'end of the refused socket');
  },
  'sub-other-tenant': async () => {
    const raw = await join();
    const guess = (run: string): Buffer =>
      frame(TEXT, Buffer.from(JSON.stringify({ type: 'subscribe', payload: { topics: [`runs:${run}`] } })));
    raw.write(guess('0199aaaa-0000-7000-8000-000000000001'));
    raw.write(guess('nothing'));
    const errors = (): string[] =>
      raw
        .frames()
        .map((f) => f.payload.toString())
        .filter((text) => text.includes('"error"'))
        .map((text) => text.replace(/"request_id":"[^"]+"/, ''));
    await raw.until(() => errors().length === 2, 'two errors');
    expect(errors()[0]).toBe(errors()[1]);
    const before = raw.frames().length;
    s.bus.publish(taskEvent(1, { tenantId: 't2', type: 'run.started', permission: 'conversations:read' }));
    raw.write(frame(TEXT, Buffer.from(ping)));
    await raw.until(() => raw.frames().length > before, 'pong');
    expect(
      raw
        .frames()
        .slice(before)
        .map((f) => f.payload.toString()),
    ).toEqual([expect.stringContaining('"pong"')]);
    raw.destroy();
  },
  subproto: async () => {
    const raw = await openRaw(s.port, { ...token, 'sec-websocket-version': '8' });
    const { status, head } = await raw.upgrade();
    expect(status).toBe(426);
    expect(head.toLowerCase()).toContain('sec-websocket-version: 13');
  },
  'key-missing': async () => {
    const raw = await openRaw(s.port, { ...token, 'sec-websocket-key': '' });
    expect((await raw.upgrade()).status).toBe(400);
  },
  'post-upgrade': async () => {
    const raw = await openRaw(s.port, { ...token, 'content-length': '0' });
    expect([400, 405]).toContain((await raw.upgrade('POST')).status);
    raw.destroy();
  },
  'dead-peer': async () => {
    const other = await startSockets({ heartbeatMs: 60 });
    const raw = await openRaw(other.port, token);
    expect((await raw.upgrade()).status).toBe(101);
    const began = Date.now();
    await raw.until(() => raw.ended(), 'end');
    expect(Date.now() - began).toBeLessThan(10 * 2 * 60);
    await other.close();
  },
  reconnect: async () => {
    const first = await s.join('ann.user.t1');
    s.bus.publish(taskEvent(100));
    const { id } = await first.next('task.updated', (m) => m.payload.n === 100);
    first.close();
    for (const n of [101, 102]) s.bus.publish(taskEvent(n));
    const again = await s.join('ann.user.t1', `?last_event_id=${id}`);
    s.bus.publish(taskEvent(103));
    await again.next('task.updated', (m) => m.payload.n === 103);
    expect(again.messages.filter((m) => m.type === 'task.updated').map((m) => m.payload.n)).toEqual([
      101, 102, 103,
    ]);
  },
};

const check = (row: Case): (() => Promise<void>) => {
  const fixed = checks[row.id];
  if (fixed !== undefined) return fixed;
  const closing = /^close-(ok|bad)-(\d+)$/.exec(row.id);
  if (closing?.[1] === 'ok') {
    return async () => {
      const code = await closes(frame(CLOSE, code16(Number(closing[2]))));
      expect([Number(closing[2]), 1000]).toContain(code);
    };
  }
  if (closing?.[1] === 'bad') {
    return async () => expect([1002, null]).toContain(await closes(frame(CLOSE, code16(Number(closing[2])))));
  }
  if (row.category === 'utf8' && row.hex !== undefined) {
    const bytes = Buffer.from(row.hex, 'hex');
    return async () => expect([1003, 1007, 1008]).toContain(await closes(frame(TEXT, bytes)));
  }
  throw new Error(`no check for the case ${row.id}`);
};

describe(req(['WS-07'], 'websocket-cases.json'), () => {
  it.each(cases.map((row) => [row.id, row] as const))('%s', async (_id, row) => {
    await check(row)();
    await stillUp();
  });

  it.each([',,', 'a,a', 'a b'])('refuses the subprotocols "%s" with an error body', async (offered) => {
    const raw = await openRaw(s.port, { ...token, 'sec-websocket-protocol': offered });
    const { status, head } = await raw.upgrade();
    expect(status).toBe(400);
    expect(head.toLowerCase()).toContain('content-type: application/json');
    raw.destroy();
  });
});
