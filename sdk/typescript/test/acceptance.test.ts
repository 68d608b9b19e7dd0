import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AcceptanceServer, startAcceptanceServer } from '../../acceptance.ts';
import {
  CancelledError,
  type ChatEvent,
  type Client,
  ConflictError,
  createClient,
  exchangeCode,
  ForbiddenError,
  type LogEntry,
  NotFoundError,
  passwordLogin,
  refreshing,
  serviceAccount,
  TimedOutError,
  type Tokens,
  UnauthorizedError,
  ValidationError,
} from '../src/index.ts';

/** The TypeScript client against a really started server. */

let acceptance: AcceptanceServer;
let env: Record<string, string>;
let client: Client;
const logged: LogEntry[] = [];

beforeAll(async () => {
  acceptance = await startAcceptanceServer();
  env = await acceptance.freshEnv();
  client = createClient({
    baseUrl: env.PENTARCH_URL!,
    auth: passwordLogin(env.PENTARCH_EMAIL!, env.PENTARCH_PASSWORD!),
    log: (entry) => logged.push(entry),
  });
});

afterAll(() => acceptance?.close());

describe('signing in', () => {
  it('by password', async () => {
    expect((await client.users.getMe()).email).toBe(env.PENTARCH_EMAIL);
  });

  it('by API key', async () => {
    const byKey = createClient({ baseUrl: env.PENTARCH_URL!, auth: env.PENTARCH_API_KEY! });
    expect((await byKey.users.getMe()).email).toBe(env.PENTARCH_EMAIL);
  });

  it('by machine key', async () => {
    const robot = createClient({
      baseUrl: env.PENTARCH_URL!,
      auth: serviceAccount({ key: env.PENTARCH_MACHINE_KEY! }),
    });
    expect((await robot.users.getMe()).id).toBe(env.PENTARCH_SERVICE_USER);
    await expect(robot.tenants.list()).rejects.toThrow(ForbiddenError);
  });

  it('by authorization code with PKCE, and by its refresh token after that', async () => {
    const common = { authUrl: env.PENTARCH_URL!, clientId: env.PENTARCH_CLIENT_ID! };
    const tokens = await exchangeCode({
      ...common,
      redirectUri: env.PENTARCH_REDIRECT_URI!,
      code: env.PENTARCH_CODE!,
      verifier: env.PENTARCH_VERIFIER!,
    });
    const renewed: Tokens[] = [];
    const person = createClient({
      baseUrl: env.PENTARCH_URL!,
      auth: refreshing({
        ...common,
        refreshToken: tokens.refresh_token!,
        onTokens: (next) => renewed.push(next),
      }),
    });
    expect((await person.users.getMe()).email).toBe(env.PENTARCH_EMAIL);
    expect(renewed).toHaveLength(1);
    expect(renewed[0]?.refresh_token).not.toBe(tokens.refresh_token);
  });

  it('is refused with the wrong token, whose text shows nowhere', async () => {
    const token = 'not-a-token-0123456789';
    const refused = createClient({ baseUrl: env.PENTARCH_URL!, auth: token });
    const error: unknown = await refused.agents.list().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(error).toMatchObject({ status: 401, reason: 'TOKEN_INVALID' });
    expect(`${error} ${JSON.stringify(error)} ${JSON.stringify(refused)}`).not.toContain(token);
  });
});

describe('calls', () => {
  it('reads the eleven agents on both surfaces', async () => {
    const v2 = createClient({
      baseUrl: env.PENTARCH_URL!,
      auth: env.PENTARCH_API_KEY!,
      surface: 'v2',
    });
    const agents = await client.agents.list();
    expect(agents).toHaveLength(11);
    expect((await v2.agents.list()).map(({ id }) => id)).toEqual(agents.map(({ id }) => id));
    await expect(v2.agents.get('nobody')).rejects.toThrow(NotFoundError);
  });

  it('creates once under one idempotency key', async () => {
    const options = { idempotencyKey: crypto.randomUUID() };
    const first = await client.conversations.create({ title: 'Once' }, options);
    const again = await client.conversations.create({ title: 'Once' }, options);
    expect(again.id).toBe(first.id);
    await client.conversations.archive(first.id);
    expect((await client.conversations.get(first.id)).status).toBe('archived');
    await expect(
      client.chat.send({ message: 'Hi', conversation_id: first.id }, { maxRetries: 0 }),
    ).rejects.toThrow(ConflictError);
  });

  it('names the field at fault and its request', async () => {
    const error: unknown = await client.chat
      .send({ message: '' }, { requestId: 'acceptance-1' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ requestId: 'acceptance-1', fields: [{ field: '/message' }] });
  });

  it('walks lists over their cursors', async () => {
    for (let n = 0; n < 5; n += 1) await client.conversations.create({ title: `List ${n}` });
    const seen: string[] = [];
    for await (const { id } of client.conversations.listAll({ limit: 2 })) seen.push(id);
    const { total } = await client.conversations.list({ limit: 1 });
    expect(seen.length).toBe(total);
    expect(new Set(seen).size).toBe(total);
  });

  it('walks bare lists over their links', async () => {
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      made.push((await client.governance.createProposal({ action: `Proposal ${n}`, estimated_cost: 1 })).id);
    }
    const seen: string[] = [];
    for await (const { id } of client.governance.listProposalsAll({ limit: 1 })) seen.push(id);
    expect(seen).toEqual(expect.arrayContaining(made));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('stops when cancelled and when the time is up', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(client.agents.list({}, { signal: controller.signal })).rejects.toThrow(CancelledError);
    await expect(client.chat.send({ message: 'Hi' }, { timeoutMs: 1, maxRetries: 0 })).rejects.toThrow(
      TimedOutError,
    );
  });

  it('logs no token', () => {
    expect(logged.length).toBeGreaterThan(5);
    expect(JSON.stringify(logged)).not.toMatch(/Bearer|eyJ/);
  });
});

describe('chat', () => {
  const read = async (of: Client, message: string): Promise<ChatEvent[]> => {
    const events: ChatEvent[] = [];
    for await (const event of of.chat.stream({ message })) events.push(event);
    return events;
  };

  it('answers whole', async () => {
    const answer = await client.chat.send({ message: 'What can you do?' });
    expect(answer.finish_reason).toBe('stop');
    expect((await client.chat.getRun(answer.run_id)).status).toBe('completed');
  });

  it('streams, and takes a broken stream up again without gap or repeat', async () => {
    const broken = createClient({ baseUrl: env.PENTARCH_BREAKING_URL!, auth: env.PENTARCH_API_KEY! });
    for (const events of [await read(client, 'Who are you?'), await read(broken, 'Who are you?')]) {
      expect(events.map(({ id }) => Number(id.split(':')[1]))).toEqual(events.map((_event, n) => n + 1));
      const text = events
        .map((event) => (event.event === 'message.delta' ? event.data.content : ''))
        .join('');
      const last = events.at(-1);
      expect(last?.event).toBe('message.completed');
      expect(last?.event === 'message.completed' && last.data.content).toBe(text);
    }
  });
});

describe('documents and events', () => {
  it('uploads with progress, finds and deletes', async () => {
    const told: number[] = [];
    const text = `The lighthouse of Eddystone was rebuilt four times.\n\n${'Wind and rain. '.repeat(10_000)}`;
    const document = await client.knowledge.uploadDocument(text, {
      filename: 'eddystone "1".txt',
      title: 'Eddystone',
      metadata: { tags: ['sea'] },
      onProgress: ({ sentBytes, totalBytes }) => told.push(sentBytes / totalBytes),
    });
    expect(document).toMatchObject({ title: 'Eddystone', metadata: { tags: ['sea'] } });
    expect(told.length).toBeGreaterThan(3);
    expect(told.at(-1)).toBe(1);
    const { results } = await client.knowledge.search({ query: 'Eddystone lighthouse' });
    expect(results[0]?.document_id).toBe(document.id);
    const content = await client.knowledge.getDocumentContent(document.id);
    expect(await content.text()).toBe(text);
    await client.knowledge.deleteDocument(document.id);
    await expect(client.knowledge.getDocument(document.id)).rejects.toThrow(NotFoundError);
    // Indexing takes most of it on a busy machine.
  }, 120_000);

  it('hears what happens', async () => {
    const controller = new AbortController();
    const types: string[] = [];
    for await (const event of client.events({ topics: ['conversations'], signal: controller.signal })) {
      types.push(event.type);
      if (event.type === 'ready') await client.chat.send({ message: 'Hello there' });
      if (event.type === 'message.created') controller.abort();
    }
    expect(types).toContain('message.created');
  });

  it('hears what happens over a broken connection', async () => {
    // The way in breaks its first socket after the first event; what happened in between comes all the same.
    const broken = createClient({ baseUrl: env.PENTARCH_BREAKING_URL!, auth: env.PENTARCH_API_KEY! });
    const said: string[] = [];
    let ready = 0;
    for await (const { type, payload } of broken.events({ topics: ['conversations'] })) {
      if (type === 'ready' && ready++ === 0) await client.chat.send({ message: 'first' });
      if (type !== 'message.created') continue;
      const { role, content } = payload as { role: string; content: string };
      if (role !== 'user') continue;
      said.push(content);
      if (content === 'second') break;
      await client.chat.send({ message: 'second' });
    }
    expect(said).toEqual(['first', 'second']);
    expect(ready).toBeGreaterThanOrEqual(2);
  });

  it('takes memory in and hands it out as JSON Lines', async () => {
    const line = JSON.stringify({
      type: 'entity',
      name: 'Smeaton',
      entityType: 'person',
      observations: ['engineer'],
    });
    expect((await client.memory.import(line)).entities).toBe(1);
    expect(await client.memory.export()).toContain('Smeaton');
  });
});
