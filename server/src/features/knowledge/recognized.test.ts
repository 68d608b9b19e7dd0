import { expect, test } from 'vitest';
import { openKnowledge } from '../../../test/support/knowledge.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { DocumentParser } from '../../kernel/parser.ts';
import { createRecognizedPages } from './recognized.store.ts';

/** A reader of a scan with two pages. */
const reader: DocumentParser = {
  parse: async () => ({
    contentType: 'application/pdf',
    title: null,
    language: null,
    pageCount: 2,
    blocks: [
      { kind: 'text', text: 'First page.', page: 1 },
      { kind: 'text', text: 'Second page.', page: 2 },
    ],
  }),
  async close() {},
};

test('an upload is answered with all of its pages, and what is kept of them goes with their document', async () => {
  const house = await openKnowledge({ parser: reader });
  try {
    const headers = { authorization: 'Bearer ann' };
    const uploaded = await house.app.inject({
      method: 'POST',
      url: '/api/v1/knowledge/documents',
      headers,
      payload: { content: 'scan', title: 'Scan' },
    });
    expect(uploaded.statusCode).toBe(201);
    const { id, sha256, unread_pages } = uploaded.json<{
      id: string;
      sha256: string;
      unread_pages: number[];
    }>();
    expect(unread_pages).toEqual([]);
    const url = `/api/v1/knowledge/documents/${id}`;
    const text = await house.app.inject({ url: `${url}/content?format=text`, headers });
    expect(text.body).toContain('Second page.');

    const memory = createRecognizedPages(house.db, systemClock);
    const row = await house.db.read
      .selectFrom('documents')
      .select('tenant_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const key = { tenantId: row.tenant_id, sha256, settings: 'eng', page: 2 };
    await memory.put(key, '["words"]');
    const elsewhere = { ...key, tenantId: 'another' };
    expect([await memory.get(key), await memory.get(elsewhere)]).toEqual(['["words"]', null]);
    expect((await house.app.inject({ method: 'DELETE', url, headers })).statusCode).toBe(204);
    expect(await memory.get(key)).toBeNull();
    expect(house.faults).toEqual([]);
  } finally {
    await house.close();
  }
});
