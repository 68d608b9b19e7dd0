import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { type Answer, type Client, createClient } from './client.ts';
import { FIND, type Ids, KINDS, type Kind, SECRET } from './isolation-map.ts';
import type { TestServer } from './server.ts';

/** People of two tenants, each with one of everything that the platform keeps, made through the API. */

/** A POST that a person sent under an idempotency key, and what came back. */
export interface SentUnderKey {
  path: string;
  body: unknown;
  key: string;
}

export interface Person {
  client: Client;
  ids: Ids;
  sent: SentUnderKey[];
  /** Those that are this person's (or, of an admin, the tenant's) to read. */
  secret: string;
}

interface Page {
  items: Record<string, unknown>[];
  total: number;
}

const text = (value: unknown): string => {
  if (typeof value !== 'string' || value === '') throw new Error(`no id in ${JSON.stringify(value)}`);
  return value;
};

const fixture = fileURLToPath(new URL('../mcp/fixture-server.ts', import.meta.url));

const UUIDS: ReadonlySet<Kind> = new Set(KINDS.filter((kind) => kind !== 'mcp_server'));

/** Ids of nothing. */
export const randomIds = (): Ids => {
  const entries = KINDS.map((kind) => [
    kind,
    UUIDS.has(kind)
      ? `0190a000-${randomUUID().slice(9, 14)}7${randomUUID().slice(15)}`
      : `none-${randomUUID().slice(0, 8)}`,
  ]);
  return Object.fromEntries(entries) as Ids;
};

export interface MakeOptions {
  server: TestServer;
  client: Client;
  /** Makes what belongs to the tenant: MCP server, webhook, client, user. */
  boss: Client;
  tenantId: string;
  /** Where webhooks go. */
  hookUrl: string;
  word: string;
}

/** One pixel. */
const PIXEL = 'R0lGODlhAQABAIAAAP8AAAAAACwAAAAAAQABAAACAkQBADs=';

/** Everything of one owner. `word` keeps the secrets of two owners apart. */
export const makeEverything = async (options: MakeOptions): Promise<Person> => {
  const { client, boss, word } = options;
  const secret = `${SECRET}-${word}`;
  const sent: SentUnderKey[] = [];
  const ok = (answer: Answer, what: string): Record<string, unknown> => {
    if (answer.status >= 300) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return answer.text === '' ? {} : answer.json<Record<string, unknown>>();
  };
  const post = async (who: Client, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const key = `key-${word}-${sent.length}`;
    const answer = await who.post(path, body, { headers: { 'idempotency-key': key } });
    sent.push({ path, body, key });
    return ok(answer, `POST ${path}`);
  };
  const first = async (
    who: Client,
    path: string,
    fits: (item: Record<string, unknown>) => boolean = () => true,
  ) => {
    const found = await vi.waitFor(
      async () => {
        const item = (await who.get(path)).json<Page>().items.find(fits);
        if (item === undefined) throw new Error(`nothing that fits at ${path}`);
        return item;
      },
      { timeout: 30_000, interval: 100 },
    );
    return found;
  };

  const chatted = await post(client, '/v2/chat', {
    message: `Note about ${FIND}: ${secret}`,
    context: { model: 'compatible/seeing' },
    attachments: [{ image: PIXEL, name: `${secret}.gif` }],
  });
  const [asked] = (await client.get(`/v2/conversations/${text(chatted.conversation_id)}/messages`)).json<{
    items: { pictures?: { id: string }[] }[];
  }>().items;
  await post(client, '/v2/chat', { message: `Another note: ${secret}` });
  const share = await post(client, `/v2/conversations/${text(chatted.conversation_id)}/shares`, {
    audience: 'tenant',
  });
  const document = await post(client, '/v2/knowledge/documents', {
    title: `${FIND} ${secret}`,
    content: `The ${FIND} is kept in vault ${secret}.`,
    metadata: { tags: [secret] },
  });
  await post(client, '/v2/knowledge/documents', {
    title: `Second ${secret}`,
    content: `${FIND} ${secret} two.`,
  });
  const entity = await post(client, '/v2/memory/entities', {
    name: `${FIND} ${secret}`,
    entity_type: 'person',
    observations: [`lives at ${secret}`],
  });
  const other = await post(client, '/v2/memory/entities', {
    name: `Friend ${secret}`,
    entity_type: 'person',
  });
  const relation = await post(client, '/v2/memory/relations', {
    from_entity_id: entity.id,
    to_entity_id: other.id,
    relation_type: `knows ${secret}`,
  });
  const task = await post(client, '/v2/tasks', {
    description: `Water the ${FIND} ${secret}`,
    cron: '0 9 * * *',
  });
  await post(client, '/v2/tasks', { description: `At once ${secret}`, agent_id: 'hermes' });
  const proposal = await post(client, '/v2/governance/proposals', {
    action: `Buy ${FIND} ${secret}`,
    estimated_cost: 4000,
  });
  const key = await post(client, '/v2/auth/api-keys', { name: secret });
  const token = await post(client, '/v2/users/me/tokens', { name: secret });
  const session = await first(client, '/v2/users/me/sessions');
  // Tells of itself when it is done.
  const notification = await first(client, '/v2/notifications');

  ok(
    await client.post('/v2/chat', {
      message: `teach Athena to answer with ${secret}`,
      context: { agent_id: 'morpheus' },
    }),
    'a suggestion',
  );
  const suggestion = await first(boss, '/v2/agents/suggestions', (item) =>
    String(item.instruction).includes(secret),
  );
  const server = `${FIND}-${word}`;
  ok(
    await boss.post('/v2/mcp/servers', {
      name: server,
      title: secret,
      transport: 'stdio',
      command: process.execPath,
      args: [fixture, '{}'],
    }),
    'MCP server',
  );
  const hook = await post(boss, '/v2/webhooks', {
    url: `${options.hookUrl}?${secret}`,
    events: ['task.completed'],
    description: secret,
  });
  const delivery = ok(await boss.post(`/v2/webhooks/${text(hook.id)}/test`), 'a delivery');
  const oauth = await post(boss, '/v2/oauth/clients', { name: secret, type: 'confidential' });
  const user = await post(boss, '/v2/users', {
    email: `robot-${word}@isolation.test`,
    name: secret,
    type: 'service',
  });
  const machineKey = ok(
    await boss.post(`/management/v1/users/${text(user.id)}/machine_keys`, { type: 'KEY_TYPE_JSON' }),
    'machine key',
  );
  const [observation] = entity.observations as { id: string }[];
  const directoryKey = ok(
    await boss.post('/v2/auth/api-keys', { name: `directory-${word}`, permissions: ['scim:manage'] }),
    'a key for a directory',
  );
  const group = ok(
    await createClient(() => options.server.url, text(directoryKey.key)).post('/scim/v2/Groups', {
      displayName: `Group ${secret}`,
    }),
    'a group of a directory',
  );

  return {
    client,
    sent,
    secret,
    ids: {
      agent_suggestion: text(suggestion.id),
      api_key: text(key.id),
      chunk_document: text(document.id),
      conversation: text(chatted.conversation_id),
      delivery: text(delivery.id),
      directory_group: text(group.id),
      document: text(document.id),
      entity: text(entity.id),
      machine_key: text(machineKey.keyId),
      mcp_server: server,
      message: text(chatted.id),
      notification: text(notification.id),
      oauth_client: text(oauth.client_id),
      observation: text(observation?.id),
      picture: text(asked?.pictures?.[0]?.id),
      proposal: text(proposal.id),
      relation: text(relation.id),
      run: text(chatted.run_id),
      second_entity: text(other.id),
      session: text(session.id),
      share: text(share.id),
      task: text(task.id),
      tenant: options.tenantId,
      token: text(token.id),
      user: text(user.id),
      webhook: text(hook.id),
    },
  };
};

/** Waits until nothing of the owner is on its way any more: votes, tasks at once, connections. */
export const allAtRest = async (owner: Person, boss: Client): Promise<void> => {
  const list = async (who: Client, path: string) =>
    (await who.get(path)).json<{ items: { status: string; cron?: string | null }[] }>().items;
  await vi.waitFor(
    async () => {
      const proposal = await owner.client.get(`/v2/governance/proposals/${owner.ids.proposal}`);
      const tasks = await list(owner.client, '/v2/tasks?limit=100');
      const servers = await list(boss, '/v2/mcp/servers?limit=100');
      const moving = [
        proposal.json<{ status: string }>().status,
        ...tasks.filter((task) => task.cron === null).map((task) => task.status),
        ...servers.map((server) => server.status),
      ].filter((status) => ['voting', 'queued', 'running', 'connecting'].includes(status));
      expect(moving).toEqual([]);
    },
    { timeout: 60_000, interval: 100 },
  );
};

/** What the owner and the boss read of all of it, to compare before with after. */
export const readEverything = async (owner: Person, boss: Client): Promise<Record<string, string>> => {
  const { ids, client } = owner;
  const own = [
    `/v2/conversations/${ids.conversation}`,
    `/v2/chat/runs/${ids.run}`,
    `/v2/conversations/${ids.conversation}/pictures/${ids.picture}`,
    `/v2/knowledge/documents/${ids.document}`,
    `/v2/knowledge/documents/${ids.document}/content`,
    `/v2/memory/entities/${ids.entity}`,
    `/v2/memory/entities/${ids.second_entity}`,
    `/v2/memory/relations/${ids.relation}`,
    `/v2/tasks/${ids.task}`,
    `/v2/governance/proposals/${ids.proposal}`,
    '/v2/notifications?limit=100',
    '/v2/auth/api-keys?limit=100',
    '/v2/users/me/tokens?limit=100',
    '/v2/users/me',
  ];
  const tenants = [
    '/v2/agents/suggestions',
    '/v2/mcp/servers',
    `/v2/webhooks/${ids.webhook}`,
    `/v2/oauth/clients`,
    `/v2/users/${ids.user}`,
    `/management/v1/users/${ids.user}/machine_keys`,
    `/v2/tenants/${ids.tenant}`,
    '/v2/costs/limits',
  ];
  const read = async (who: Client, path: string): Promise<[string, string]> => {
    const answer = await who.get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    // What moves by itself: last uses, and what is counted anew at each look.
    const still = answer.text.replaceAll(/"(last_used_at|last_seen_at|used_usd|remaining_usd)":[^,}]*/g, '');
    return [path, still];
  };
  const rows: [string, string][] = [];
  for (const path of own) rows.push(await read(client, path));
  for (const path of tenants) rows.push(await read(boss, path));
  const { instructions, enabled, model } = (await boss.get('/v2/agents/athena')).json<
    Record<string, unknown>
  >();
  rows.push(['athena', JSON.stringify([instructions, enabled, model])]);
  return Object.fromEntries(rows);
};
