import OpenAI, { APIError } from 'openai';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Stored responses of `/v1/responses`: read, listed input, deleted; through the official client. */

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let openai: OpenAI;

const clientOf = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });

const it = withWorld({});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
  openai = clientOf(admin.token ?? '');
});
beforeEach(() => provider.reset());

const ask = (more: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {}) =>
  openai.responses.create({ model: 'pentarch/zeus', input: 'Two and two?', ...more });

const statusOf = async (call: PromiseLike<unknown>): Promise<[number | undefined, unknown]> => {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIError)) throw new Error(`no API error but ${String(error)}`);
  return [error.status, error.code];
};
const conversationIn = (value: object) =>
  (value as { pentarch: { conversation_id: string } }).pentarch.conversation_id;

describe('a stored response', () => {
  it(req('RESPONSES-06', 'is read by its id, with its text, usage and items'), async () => {
    provider.script({ text: 'Four.' });
    const made = await ask();
    const read = await openai.responses.retrieve(made.id);
    expect(read).toMatchObject({
      id: made.id,
      status: 'completed',
      model: 'pentarch/zeus',
      usage: made.usage,
    });
    expect(read.output).toEqual(made.output);
    expect(read.output_text).toBe('Four.');
    expect(read.created_at).toBe(made.created_at);
    const items = await openai.responses.inputItems.list(made.id);
    expect(items.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Two and two?' }] },
    ]);
    // Clients may ask for more than is kept.
    const more = { include: ['reasoning.encrypted_content', 'file_search_call.results'] as const };
    const asked = await openai.responses.retrieve(made.id, { include: [...more.include] }).withResponse();
    expect(asked.data.output).toEqual(made.output);
    expect(asked.response.headers.get('x-pentarch-ignored')).toBe('include');
    for (const [query, status] of [
      ['include=reasoning.encrypted_content', 200],
      ['include=reasoning.encrypted_content&include=file_search_call.results', 200],
      ['include[]=reasoning.encrypted_content', 200],
      ['include=secrets', 400],
      ['includes=reasoning.encrypted_content', 400],
    ] as const) {
      const read = await admin.get(`/v1/responses/${made.id}?${query}`);
      expect([query, read.status, read.headers.get('x-pentarch-ignored')]).toEqual([
        query,
        status,
        status === 200 ? 'include' : null,
      ]);
      expect((await admin.get(`/v1/responses/${made.id}/input_items?${query}`)).status).toBe(status);
    }
    const all = [];
    for await (const item of openai.responses.inputItems.list(made.id, { limit: 1 })) all.push(item);
    expect(all).toHaveLength(1);
  });

  it(req('RESPONSES-06', 'that goes on says so, and a failed one why'), async () => {
    provider.script({ chunks: ['Once ', 'upon'], hangAfter: 1 });
    const stream = await openai.responses.create({ model: 'pentarch/zeus', input: 'A story', stream: true });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    expect(await openai.responses.retrieve(id)).toMatchObject({ id, status: 'in_progress', output: [] });
    expect(await statusOf(openai.responses.delete(id))).toEqual([409, expect.any(String)]);
    await admin.post(`/v2/chat/runs/${id.replace('resp_', '')}/cancel`);
    provider.reset();
    provider.always({ error: { status: 400, body: { error: { message: 'no' } } } });
    const failing = await openai.responses.create({ model: 'pentarch/zeus', input: 'Fail', stream: true });
    for await (const event of failing) if (event.type === 'response.failed') id = event.response.id;
    expect(await openai.responses.retrieve(id)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
    });
  });

  it(req('RESPONSES-06', 'is of its caller alone, and what was not stored is 404'), async () => {
    const made = await ask();
    const gone = await ask({ store: false });
    const other = clientOf((await newPerson(server, admin)).token ?? '');
    const stranger = clientOf((await newPerson(server, admin, { roles: ['admin'] })).token ?? '');
    for (const [client, id] of [
      [other, made.id],
      [stranger, made.id],
      [openai, gone.id],
      [openai, 'resp_018f3f3a-7b7a-7000-8000-000000000000'],
      [openai, 'resp_none'],
    ] as const) {
      expect(await statusOf(client.responses.retrieve(id))).toEqual([404, 'not_found']);
      expect(await statusOf(client.responses.inputItems.list(id))).toEqual([404, 'not_found']);
      expect(await statusOf(client.responses.delete(id))).toEqual([404, 'not_found']);
    }
    expect((await openai.responses.retrieve(made.id)).status).toBe('completed');
  });

  it(req('RESPONSES-06', 'is deleted with its conversation, which the audit chain tells'), async () => {
    const made = await ask();
    const conversation = conversationIn(made);
    const answer = await admin.delete(`/v1/responses/${made.id}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json()).toEqual({ id: made.id, object: 'response', deleted: true });
    expect(await statusOf(openai.responses.retrieve(made.id))).toEqual([404, 'not_found']);
    expect((await admin.get(`/v2/conversations/${conversation}`)).status).toBe(404);
    const { items } = (await admin.get('/v2/audit?action=conversation.deleted')).json<{
      items: { target_id: string }[];
    }>();
    expect(items.filter(({ target_id: id }) => id === conversation)).toHaveLength(1);
  });

  it(
    req('RESPONSES-06', 'of a conversation with others is not deleted: nothing else goes with it'),
    async () => {
      const first = await ask();
      const next = await ask({ previous_response_id: first.id });
      for (const { id } of [first, next]) {
        const refused = await admin.delete(`/v1/responses/${id}`);
        expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(conversationIn(first))]);
      }
      expect((await openai.responses.retrieve(first.id)).id).toBe(first.id);
      expect((await openai.responses.retrieve(next.id)).id).toBe(next.id);
    },
  );
});
