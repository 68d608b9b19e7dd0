import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformKeysOf } from '../../src/commands/keys.ts';
import { auditSignerOf } from '../../src/features/audit/index.ts';
import { chainText } from '../../src/features/audit/rules.ts';
import { sha256Hex } from '../../src/features/audit/store.ts';
import { req } from '../requirements.ts';
import { runCommand } from '../support/command.ts';
import { startServer } from '../support/server.ts';

const NUL = '\u0000';

/** The last row of the chain as a release of before would have written it: with U+0000, and the hash of that. */
const withNul = (file: DatabaseSync, dataDir: string): void => {
  const last = file.prepare('select * from audit_events order by tenant_id, seq desc limit 1').get();
  if (last === undefined) throw new Error('no audit rows');
  const text = (name: string): string | null => {
    const value = last[name];
    return value === null || value === undefined ? null : String(value);
  };
  const targetId = `a${NUL}b\uFFFD`;
  const hash = sha256Hex(
    chainText(String(last.previous_hash), {
      id: String(last.id),
      tenantId: String(last.tenant_id),
      seq: Number(last.seq),
      actorId: text('actor_id'),
      actorType: String(last.actor_type),
      action: String(last.action),
      outcome: String(last.outcome),
      targetType: text('target_type'),
      targetId,
      requestId: text('request_id'),
      address: text('address'),
      details: String(last.details),
      createdAt: Number(last.created_at),
    }),
  );
  for (const { name } of file.prepare("select name from sqlite_master where type = 'trigger'").all())
    if (String(name).includes('audit')) file.exec(`drop trigger "${String(name)}"`);
  const signer = auditSignerOf(
    platformKeysOf({ DATA_DIR: dataDir, PLATFORM_KEY: null, PLATFORM_KEY_PREVIOUS: null }),
  );
  const { mac, seal } = signer.sign({ tenantId: String(last.tenant_id), seq: Number(last.seq), hash });
  file
    .prepare('update audit_events set target_id = ?, hash = ?, mac = ? where id = ?')
    .run(targetId, hash, mac, String(last.id));
  file
    .prepare('update audit_heads set hash = ?, seal = ? where tenant_id = ?')
    .run(hash, seal, String(last.tenant_id));
};

/** What a store of an earlier release may hold that no other takes: into whichever store `into` names. */
export const unstorableArchive = (into: () => Promise<Record<string, string>>): void => {
  describe('texts with U+0000 in a store of an earlier release', () => {
    let folder = '';
    let target: Record<string, string> = {};
    let id = '';
    let restored: Awaited<ReturnType<typeof runCommand>> | null = null;
    beforeAll(async () => {
      folder = mkdtempSync(path.join(tmpdir(), 'pentarch-nul-'));
      target = await into();
      const first = await startServer({
        dataDir: path.join(folder, 'first'),
        env: { DATABASE_URL: '' },
      });
      try {
        const client = await first.signIn();
        const made = await client.post('/api/v1/conversations', { title: 'before' });
        id = made.json<{ id: string }>().id;
        await client.post('/api/v1/chat', { message: 'one and two', conversation_id: id });
      } finally {
        await first.close();
      }
      const file = new DatabaseSync(path.join(first.dataDir, 'pentarch.sqlite'));
      file.prepare('update conversations set title = ? where id = ?').run(`a${NUL}b${NUL}c`, id);
      file
        .prepare("update messages set content = ? where conversation_id = ? and role = 'user'")
        .run(`one${NUL}two`, id);
      withNul(file, first.dataDir);
      file.close();
      const archive = path.join(folder, 'old.ptar');
      const made = await runCommand(['backup', archive], { DATA_DIR: first.dataDir });
      expect(made.code, made.err).toBe(0);
      restored = await runCommand(['restore', archive], {
        ...target,
        DATA_DIR: path.join(folder, 'second'),
      });
    }, 120_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it(req('OPS-13', 'come in with U+FFFD in their place, and the command counts them'), async () => {
      expect(restored).toMatchObject({ code: 0, err: '' });
      expect(restored?.out).toMatch(/LOOK: 1 texts of conversations .*U\+0000/);
      expect(restored?.out).toMatch(/LOOK: 1 texts of messages/);
      expect(restored?.out).toMatch(/LOOK: 1 texts of audit_events/);
      const second = await startServer({
        dataDir: path.join(folder, 'second'),
        env: { DATABASE_URL: '', ...target },
      });
      try {
        const client = await second.signIn();
        const conversation = await client.get(`/api/v1/conversations/${id}`);
        expect(conversation.json<{ title: string }>().title).toBe('a\uFFFDb\uFFFDc');
        const messages = await client.get(`/api/v1/conversations/${id}/messages`);
        expect(messages.text).toContain('one\uFFFDtwo');
      } finally {
        await second.close();
      }
    }, 120_000);

    it(
      req(['OPS-13', 'AUDIT-02'], 'leave the audit chain whole: hashes prove what stood there'),
      async () => {
        const proof = await runCommand(['audit', 'verify'], {
          ...target,
          DATA_DIR: path.join(folder, 'second'),
        });
        expect(proof).toMatchObject({ code: 0, out: expect.stringContaining('0 broken') });
      },
    );
  });
};
