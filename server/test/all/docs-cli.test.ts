import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBrowser, signIn, signInPage } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { docText } from '../support/doc-blocks.ts';
import { createDocShell, type DocShell, ROOT, type ShellEnd } from '../support/doc-shell.ts';
import { freePort } from '../support/free-port.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * Every line of docs/cli.md, which has the examples of every command's help, is run in a shell against a started server
 * and must end with 0. Words that stand for something (ID, MESSAGE_ID, example.com) become what was made for the line.
 */

// Each command is a process of its own, and other suites run beside this one.
vi.setConfig({ testTimeout: 180_000 });

const EXAMPLES: string[] = [...docText('docs/cli.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(
  ([, code = '']) => code.trimEnd().split('\n'),
);

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let shell: DocShell;
let home: string;
let mcpUrl: string;
let pages: Awaited<ReturnType<typeof startReceiver>>;
let stopMcp = (): void => {};
let made = 0;

const PASSWORD = 'a long enough password 1';

const id = (answer: { status: number; text: string; json<T>(): T }): string => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json<{ id: string }>().id;
};
const post = async (where: string, body?: unknown): Promise<string> => id(await admin.post(where, body));
const fresh = (word: string): string => {
  made += 1;
  return `${word}-${made}`;
};

interface Reply {
  id: string;
  conversation_id: string;
  parent_id: string;
  run_id: string;
}
const chat = async (): Promise<Reply> => {
  const answer = await admin.post('/api/v1/chat', { message: 'How long does the lamp burn?' });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json();
};
const conversation = async (): Promise<string> => (await chat()).conversation_id;
const answered = async () => {
  const { id: MESSAGE_ID, conversation_id: ID } = await chat();
  return { ID, MESSAGE_ID };
};
const sharing = async () => {
  const ID = await conversation();
  const made = await admin.post(`/api/v1/conversations/${ID}/shares`, { audience: 'tenant' });
  return { ID, share: made.json<{ id: string; token: string }>() };
};
const document = (): Promise<string> =>
  post('/api/v1/knowledge/documents', {
    title: fresh('Note'),
    content: `# ${fresh('Note')}\n\nThe horn sounds every 40 seconds.`,
    content_type: 'markdown',
  });
interface Entity {
  id: string;
  observations: { id: string }[];
}
const entity = async (): Promise<Entity> => {
  const answer = await admin.post('/api/v1/memory/entities', {
    name: fresh('Keeper'),
    entity_type: 'person',
    observations: ['retired in 1790'],
  });
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.json<Entity>();
};
const relation = async (more: Record<string, unknown> = {}): Promise<string> =>
  post('/api/v1/memory/relations', {
    ...more,
    from_entity_id: (await entity()).id,
    to_entity_id: (await entity()).id,
    relation_type: 'knows',
  });
const proposal = (): Promise<string> =>
  post('/api/v1/governance/proposals', { action: fresh('Order oil'), estimated_cost: 150 });
/** A question that a run asks the administrator, since text from outside is in its conversation. */
const question = async (): Promise<string> => {
  const stream = await admin.stream('/api/v1/chat/stream', {
    message: `teach Athena to answer in ${fresh('style')}`,
    context: { agent_id: 'morpheus', note: 'from a form' },
  });
  const asked = (await stream.until('proposal.created')).at(-1)?.data as { id: string } | undefined;
  stream.close();
  return asked?.id ?? '';
};
const task = (): Promise<string> =>
  post('/api/v1/tasks', { description: 'Say hello', scheduled_at: '2099-01-01T00:00:00.000Z' });
const user = (more: Record<string, unknown> = {}): Promise<string> =>
  post('/v2/users', { email: `${fresh('keeper')}@example.com`, password: PASSWORD, ...more });
const webhook = (): Promise<string> =>
  post('/api/v1/webhooks', { url: pages.url, events: ['proposal.created'] });
const suggestion = async (): Promise<string> => {
  const asked = await admin.post('/api/v1/chat', {
    message: `teach Athena to answer in ${fresh('style')}`,
    context: { agent_id: 'morpheus' },
  });
  if (asked.status !== 200) throw new Error(asked.text);
  const listed = await admin.get('/api/v1/agents/suggestions?status=open');
  const [open] = listed.json<{ items: { id: string }[] }>().items;
  if (open === undefined) throw new Error(`no suggestion came of it: ${asked.text}`);
  return open.id;
};

interface McpState {
  name: string;
  status: string;
  last_error: string | null;
}
/** Waits until a server is as it should be. */
const mcpServer = async (name: string, of: (server: McpState) => string, wanted: RegExp): Promise<void> => {
  const look = async (): Promise<string> => {
    const listed = await admin.get('/api/v1/mcp/servers?limit=100');
    const found = listed.json<{ items: McpState[] }>().items.find((one) => one.name === name);
    return found === undefined ? 'not there' : of(found);
  };
  await expect.poll(look, { timeout: 60_000 }).toMatch(wanted);
};

/** The tenant's own server `files`, connected; of the kind whose tool is held back where `odd`. */
const files = async (odd = false): Promise<void> => {
  await admin.delete('/api/v1/mcp/servers/files');
  const args = [path.join(ROOT, 'server', 'test', 'support', 'doc-mcp.ts'), ...(odd ? ['odd'] : [])];
  const answer = await admin.post('/api/v1/mcp/servers', {
    name: 'files',
    transport: 'stdio',
    command: 'node',
    args,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  await mcpServer('files', ({ status }) => status, /connected/);
};

/** A server that waits for somebody to sign in at it: the platform's own door. */
const crm = async (): Promise<void> => {
  await admin.delete('/api/v1/mcp/servers/crm');
  const answer = await admin.post('/api/v1/mcp/servers', {
    name: 'crm',
    transport: 'http',
    url: `${server.url}/mcp`,
    oauth: { client_id: 'pentarch-cli' },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  await mcpServer('crm', ({ last_error }) => last_error ?? '', /authorization needed/);
};

/** A folder of settings with the administrator's sign-in in it; a sign-in of its own where the line ends one. */
const signedIn = async (email = server.admin.email, password = server.admin.password): Promise<string> => {
  const config = path.join(home, fresh('config'));
  const login = await shell.run(`pentarch login --url ${server.url} --email ${email} --password-stdin`, {
    env: { XDG_CONFIG_HOME: config },
    input: `${password}\n`,
  });
  if (login.code !== 0) throw new Error(login.err);
  return config;
};
const withProfile = async (name: string): Promise<string> => {
  const config = await signedIn();
  const login = await shell.run(`pentarch login --profile ${name} --url ${server.url} --token-stdin`, {
    env: { XDG_CONFIG_HOME: config },
    input: admin.token ?? '',
  });
  if (login.code !== 0) throw new Error(login.err);
  return config;
};

/** What a line needs: words to put in, settings folder, standard input. */
interface Need {
  words?: Record<string, string>;
  config?: string;
  env?: Record<string, string>;
  input?: string;
}
type Prepare = () => Promise<Need>;
const words =
  (make: () => Promise<Record<string, string>>): Prepare =>
  async () => ({ words: await make() });
const own = (make: () => Promise<string>): Prepare => words(async () => ({ ID: await make() }));

/** Each is one of its own: the same bytes are the same upload. */
let emptyFiles = 0;

/** A GIF of one pixel. */
const PIXEL = 'R0lGODlhAQABAIAAAP8AAAAAACwAAAAAAQABAAACAkQBADs=';

/** By the words that a line begins with; the longest that fits counts. */
const NEEDS: Readonly<Record<string, Prepare>> = {
  'pentarch chat': async () => ({ input: 'Hello\n' }),
  'pentarch chat --resume ID': words(answered),
  'pentarch chat "What does it say about notice?" --attach': words(async () => ({
    DOCUMENT_ID: await document(),
  })),
  'pentarch conversations show': words(async () => ({
    '0190a6de-7c2a-7000-8000-000000000001': await conversation(),
  })),
  'pentarch conversations': own(conversation),
  'pentarch conversations update': words(answered),
  'pentarch conversations fork': words(answered),
  'pentarch conversations regenerate': words(answered),
  'pentarch conversations share': words(answered),
  'pentarch conversations unshare': words(async () => {
    const { ID, share } = await sharing();
    return { ID, SHARE_ID: share.id };
  }),
  'pentarch conversations shared': words(async () => ({ TOKEN: (await sharing()).share.token })),
  'pentarch conversations edit': words(async () => {
    const { conversation_id: ID, parent_id: MESSAGE_ID } = await chat();
    return { ID, MESSAGE_ID };
  }),
  'pentarch conversations picture': words(async () => {
    const asked = await admin.post('/api/v1/chat', {
      message: 'What is this?',
      context: { agent_id: 'athena', model: 'compatible/test' },
      attachments: [{ image: PIXEL }],
    });
    const { conversation_id: ID } = asked.json<{ conversation_id: string }>();
    const { items } = (await admin.get(`/api/v1/conversations/${ID}/messages`)).json<{
      items: { pictures?: { id: string }[] }[];
    }>();
    return { ID, PICTURE_ID: items[0]?.pictures?.[0]?.id ?? '' };
  }),
  'pentarch conversations rate': words(async () => ({ MESSAGE_ID: (await chat()).id })),
  'pentarch conversations restore': own(async () => {
    const one = await conversation();
    await admin.delete(`/api/v1/conversations/${one}`);
    return one;
  }),
  'pentarch runs show': words(async () => ({ RUN_ID: (await chat()).run_id })),
  'pentarch runs cancel': words(async () => {
    provider.script({ chunks: ['One, ', 'two'], hangAfter: 1 });
    const stream = await admin.stream('/api/v1/chat/stream', {
      message: 'Count',
      context: { agent_id: 'athena', model: 'compatible/test' },
    });
    const [first] = await stream.until('run.started');
    stream.close();
    const data = first?.data as { run_id?: string } | undefined;
    return { RUN_ID: data?.run_id ?? '' };
  }),
  'pentarch agents accept': words(async () => ({ SUGGESTION_ID: await suggestion() })),
  'pentarch agents reject': words(async () => ({ SUGGESTION_ID: await suggestion() })),
  'pentarch proposals': own(proposal),
  'pentarch proposals confirm': own(question),
  'pentarch audit list': words(async () => ({ PROPOSAL_ID: await proposal() })),
  'pentarch documents': own(document),
  'pentarch documents retry': own(async () => {
    const made = await admin.post(
      '/api/v1/knowledge/documents',
      { title: fresh('empty'), content: ' '.repeat(++emptyFiles) },
      { headers: { prefer: 'respond-async' } },
    );
    const { id } = made.json<{ id: string }>();
    const status = async (): Promise<string> =>
      (await admin.get(`/api/v1/knowledge/documents/${id}`)).json<{ status: string }>().status;
    await expect.poll(status, { timeout: 60_000 }).toBe('failed');
    return id;
  }),
  'pentarch memory entity': own(async () => (await entity()).id),
  'pentarch memory update': own(async () => (await entity()).id),
  'pentarch memory delete': own(async () => (await entity()).id),
  'pentarch memory observe': own(async () => (await entity()).id),
  'pentarch memory graph': own(async () => (await entity()).id),
  'pentarch memory merge': words(async () => ({ ID: (await entity()).id, OTHER_ID: (await entity()).id })),
  'pentarch memory correct': words(async () => {
    const { id: ID, observations } = await entity();
    return { ID, OBSERVATION_ID: observations[0]?.id ?? '' };
  }),
  'pentarch memory forget': words(async () => {
    const { id: ID, observations } = await entity();
    return { ID, OBSERVATION_ID: observations[0]?.id ?? '' };
  }),
  'pentarch memory relate': words(async () => ({ FROM_ID: (await entity()).id, TO_ID: (await entity()).id })),
  'pentarch memory relation': own(() => relation()),
  'pentarch memory update-relation': own(() => relation({ valid_from: '2025-01-01T00:00:00.000Z' })),
  'pentarch memory unrelate': own(() => relation()),
  'pentarch mcp': async () => {
    await files();
    return {};
  },
  'pentarch mcp accept': async () => {
    await files(true);
    return {};
  },
  'pentarch mcp add': async () => {
    await admin.delete('/api/v1/mcp/servers/files');
    await admin.delete('/api/v1/mcp/servers/crm');
    return {};
  },
  // The platform's own /mcp asks for a sign-in, as servers of other houses do.
  'pentarch mcp authorize': async () => {
    await crm();
    return {};
  },
  'pentarch mcp authorize crm --answer': words(async () => {
    await crm();
    const began = await admin.post('/api/v1/mcp/servers/crm/authorize', {});
    const { authorization_url: address } = began.json<{ authorization_url: string }>();
    // Another browser than the one that began: it is shown what the person who began hands in.
    const page = await signInPage(createBrowser(server.url), address, server.admin);
    return { ANSWER: /--answer ([\w.~-]+)/.exec(page.text)?.[1] ?? '' };
  }),
  'pentarch tasks': own(task),
  'pentarch tasks retry': own(async () => {
    const one = await post('/api/v1/tasks', { description: 'Say hello', agent_id: 'morpheus' });
    const status = async (): Promise<string> =>
      (await admin.get(`/api/v1/tasks/${one}`)).json<{ status: string }>().status;
    await admin.post(`/api/v1/tasks/${one}/cancel`);
    await expect.poll(status, { timeout: 60_000 }).toMatch(/^(cancelled|failed|completed)$/);
    return one;
  }),
  'pentarch users': own(user),
  'pentarch users move': words(async () => ({
    ID: await user(),
    TENANT: await post('/v2/tenants', { name: 'Northern Lights', slug: fresh('north') }),
  })),
  'pentarch users invite': own(async () => post('/v2/users', { email: `${fresh('invited')}@example.com` })),
  'pentarch sessions end': own(async () => {
    await server.signIn();
    const listed = await admin.get('/v2/users/me/sessions');
    const { items } = listed.json<{ items: { id: string; current: boolean }[] }>();
    // The newest that is nobody's: the shell's own is older.
    return items.find(({ current }) => !current)?.id ?? '';
  }),
  'pentarch tenants': own(() => post('/v2/tenants', { name: 'Northern Lights', slug: fresh('north') })),
  'pentarch keys': own(() => post('/v2/auth/api-keys', { name: fresh('key') })),
  'pentarch tokens': own(() => post('/v2/users/me/tokens', { name: fresh('token') })),
  'pentarch directory roles': words(async () => {
    const key = await admin.post('/v2/auth/api-keys', { name: 'directory', permissions: ['scim:manage'] });
    const made = await createClient(() => server.url, key.json<{ key: string }>().key).post(
      '/scim/v2/Groups',
      {
        displayName: fresh('Group'),
      },
    );
    return { ID: made.json<{ id: string }>().id };
  }),
  'pentarch clients delete': words(async () => {
    const answer = await admin.post('/v2/oauth/clients', {
      name: fresh('client'),
      type: 'public',
      redirect_uris: ['https://intranet.example.com/back'],
    });
    return { CLIENT_ID: answer.json<{ client_id: string }>().client_id };
  }),
  'pentarch webhooks': words(async () => {
    const ID = await webhook();
    return { ID, DELIVERY_ID: await post(`/api/v1/webhooks/${ID}/test`) };
  }),
  'pentarch costs set-limit': words(async () => ({ USER_ID: await user() })),
  'pentarch notifications read': own(async () => {
    await proposal();
    const newest = async (): Promise<string | undefined> =>
      (await admin.get('/api/v1/notifications')).json<{ items: { id: string }[] }>().items[0]?.id;
    await expect.poll(newest, { timeout: 60_000 }).toBeDefined();
    return (await newest()) ?? '';
  }),
  'pentarch login': async () => ({ config: path.join(home, fresh('config')) }),
  'pentarch login --device': async () => ({ config: await signedIn() }),
  'pentarch login --no-browser': async () => ({ config: await signedIn() }),
  'pentarch login --profile ci': async () => {
    const answer = await admin.post('/v2/auth/api-keys', { name: 'ci' });
    writeFileSync(path.join(shell.folder, 'key.txt'), `${answer.json<{ key: string }>().key}\n`);
    return { config: await signedIn(), env: { PENTARCH_URL: server.url } };
  },
  'printf %s "$PASSWORD"': async () => {
    const email = `${fresh('ada')}@example.com`;
    await user({ email });
    return { words: { 'ada@example.com': email }, config: await signedIn(), env: { PASSWORD } };
  },
  'pentarch logout': async () => ({ config: await signedIn() }),
  'pentarch logout --profile ci': async () => ({ config: await withProfile('ci') }),
  'pentarch profiles': async () => ({ config: await withProfile('agents.example.com') }),
  'pentarch profiles remove': async () => ({ config: await withProfile('old') }),
  'pentarch password change': async () => {
    const email = `${fresh('ada')}@example.com`;
    await user({ email });
    writeFileSync(path.join(shell.folder, 'two-lines.txt'), `${PASSWORD}\nanother long password 2\n`);
    return { config: await signedIn(email, PASSWORD) };
  },
  'pentarch password reset': async () => {
    const link = await admin.post(`/v2/users/${await user()}/password-reset`);
    const { url } = link.json<{ url: string }>();
    const token = /links\/([\w.~-]+)/.exec(url)?.[1] ?? '';
    writeFileSync(path.join(shell.folder, 'two-lines.txt'), `${token}\nanother long password 2\n`);
    return {};
  },
};

const needOf = (line: string): Prepare | undefined => {
  const [longest] = Object.keys(NEEDS)
    .filter((start) => line.replace(/^npx /, '').startsWith(start))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : NEEDS[longest];
};

/** Addresses, folders and times that only stand for some. */
const onThisMachine = (line: string): string => {
  const nextYear = new Date().getUTCFullYear() + 1;
  return line
    .replaceAll('http://localhost:8080', server.url)
    .replaceAll(/(--url )https:\/\/agents\.example\.com/g, `$1${server.url}`)
    .replaceAll('https://tools.example.com/mcp', mcpUrl)
    .replaceAll('https://crm.example.com/mcp', mcpUrl)
    .replaceAll('https://hooks.example.com/p', pages.url)
    .replaceAll('https://example.org/tide-table.pdf', pages.url.replace(/\/hook$/, '/tide-table.pdf'))
    .replaceAll('PORT=9000', 'PORT=0')
    .replaceAll('/srv/', `${home}/srv/`)
    .replaceAll(/--expires-at \d{4}-/g, `--expires-at ${nextYear}-`);
};

const replaced = (line: string, put: Readonly<Record<string, string>>): string =>
  Object.entries(put).reduce(
    (text, [word, value]) =>
      text.replaceAll(new RegExp(`(?<![\\w-])${word.replaceAll('.', '\\.')}(?![\\w-])`, 'g'), value),
    line,
  );

const environment = (config: string): Record<string, string> => ({
  XDG_CONFIG_HOME: config,
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PASSWORD: server.admin.password,
  MODEL: 'builtin',
  MCP_BUILTIN: 'off',
});

/** Serves until it is told to end. */
const runServer = async (line: string, env: Record<string, string>): Promise<ShellEnd> => {
  const run = shell.start(line, { env });
  await run.said(/"msg":"listening"/);
  run.signal('SIGTERM');
  return run.ended;
};

/** A person in a browser signs in at the address that the command shows. */
const runLogin = async (line: string, env: Record<string, string>): Promise<ShellEnd> => {
  const run = shell.start(line, { env });
  const [, address = ''] = await run.said(/(http\S+\/oauth\/v2\/authorize\S+)/);
  const back = await signIn(createBrowser(server.url), address, server.admin);
  const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
  expect(await (await fetch(`${redirect}?${back}`)).text()).toContain('Signed in');
  return run.ended;
};

const runDeviceLogin = async (line: string, env: Record<string, string>): Promise<ShellEnd> => {
  const run = shell.start(line, { env });
  const [, code = ''] = await run.said(/give the code ([A-Z]{4}-[A-Z]{4})/);
  const browser = createBrowser(server.url);
  const page = await browser.open(`${server.url}/oauth/v2/device`);
  const confirm = await browser.submit(page, 'device', { user_code: code });
  const asked = await browser.submit(confirm, 'device', { confirm: 'yes' });
  const consent = await browser.submit(asked, 'login', server.admin);
  expect((await browser.submit(consent, 'consent')).text).toContain('is signed in');
  return run.ended;
};

/** Listens until something has happened; a listener without an end is ended by Ctrl-C. */
const runEvents = async (line: string, env: Record<string, string>): Promise<ShellEnd> => {
  const run = shell.start(line, { env });
  await run.said(/ready|listening|connected/i);
  await proposal();
  if (line.includes('--count')) return run.ended;
  await run.said(/proposal\.created/);
  run.signal('SIGINT');
  const ended = await run.ended;
  return { ...ended, code: ended.code === 130 ? 0 : ended.code };
};

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'pentarch-docs-cli-'));
  shell = createDocShell(home);
  provider = await startTestProvider();
  pages = await startReceiver((response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`High water at ${made} past six.`);
  });
  server = await startServer({
    env: {
      PATH: shell.path,
      MCP_BUILTIN: 'on',
      ALLOW_SELF_APPROVAL: 'on',
      WEBHOOK_ALLOW_PRIVATE: 'on',
      MCP_ALLOW_STDIO: 'npx -y @modelcontextprotocol/server-filesystem **,node **',
      MODELS: 'compatible/test,openai/gpt-5-mini',
      VISION_MODELS: 'compatible/test',
      COMPATIBLE_BASE_URL: provider.url,
      OPENAI_BASE_URL: provider.url,
      OPENAI_API_KEY: 'test-key',
    },
  });
  admin = await server.signIn();

  const port = await freePort();
  mcpUrl = `http://127.0.0.1:${port}/mcp`;
  const mcp = shell.start('npx -y @modelcontextprotocol/server-everything streamableHttp', {
    env: { PORT: String(port) },
  });
  stopMcp = () => mcp.signal('SIGTERM');
  await mcp.said(new RegExp(String(port)));

  for (const folder of ['manuals', 'minutes', 'chatgpt', 'conversations']) {
    mkdirSync(path.join(shell.folder, folder));
  }
  mkdirSync(path.join(home, 'srv', 'notes'), { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(path.join(shell.folder, name), text);
  write('manuals/lamp.md', '# Lamp\n\nA first assistant has 34 leave days.');
  write('minutes/june.txt', 'Lamp oil was ordered in June.');
  write(
    'memory.jsonl',
    '{"type":"entity","name":"Rudyerd","entityType":"person","observations":["mercer"]}\n',
  );
  write('server.json', JSON.stringify({ title: 'Notes of the house' }));
  write('channels.json', JSON.stringify({ categories: { tasks: { inbox: true } } }));
  write('claude_desktop_config.json', JSON.stringify({ mcpServers: { wiki: { url: mcpUrl } } }));
  cpSync(
    path.join(ROOT, 'server', 'test', 'fixtures', 'keepers-handbook.pdf'),
    path.join(shell.folder, 'handbook.pdf'),
  );
  const exported = JSON.parse(
    readFileSync(path.join(ROOT, 'server', 'test', 'fixtures', 'exports', 'chatgpt.json'), 'utf8'),
  ) as { title: string }[];
  write('chatgpt/conversations.json', JSON.stringify(exported.filter(({ title }) => title === 'Lamp oil')));
  await shell.run('git init -q . && git add -A . && echo "more oil" >> minutes/june.txt', { env: {} });
  // The shell's own sign-in, which no line ends.
  cpSync(await signedIn(), path.join(home, 'config'), { recursive: true });
});
afterAll(async () => {
  stopMcp();
  await server?.close();
  await provider?.close();
  await pages?.close();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

describe('docs/cli.md', () => {
  it('has examples of every command', () => {
    expect(EXAMPLES.length).toBeGreaterThan(150);
    const documented = [
      ...docText('docs/cli.md').matchAll(/^#{2,3} (pentarch [a-z -]+?)(?: [[<].*)?$/gm),
    ].map(([, name = '']) => name.trim());
    const groups = new Set(documented.map((name) => name.split(' ').slice(0, 2).join(' ')));
    const without = documented.filter(
      (name) =>
        !EXAMPLES.some((line) => line.includes(name)) &&
        !(groups.has(name) && documented.some((other) => other.startsWith(`${name} `))),
    );
    expect(without).toEqual([]);
  });

  it.each(EXAMPLES.map((line, n) => [n, line] as const))('%i %s', async (_n, line) => {
    const need = (await needOf(line)?.()) ?? {};
    const put = replaced(onThisMachine(line), {
      ...(line.includes('users create') || line.includes('tenants create')
        ? {
            'ada@example.com': `${fresh('ada')}@example.com`,
            'bot@example.com': `${fresh('bot')}@example.com`,
          }
        : {}),
      ...need.words,
    });
    expect(put, 'a word stands for something that nothing was put in for').not.toMatch(/\b[A-Z_]*ID\b/);
    const env = { ...environment(need.config ?? path.join(home, 'config')), ...need.env };
    const ended = await (line.endsWith(' serve')
      ? runServer(put, env)
      : /\blogin (--url|--no-browser)/.test(line)
        ? runLogin(put, env)
        : line.includes('login --device')
          ? runDeviceLogin(put, env)
          : line.startsWith('pentarch events')
            ? runEvents(put, env)
            : shell.run(put, { env, ...(need.input === undefined ? {} : { input: need.input }) }));
    expect(ended.code, `${put}\n${ended.out}${ended.err}`).toBe(0);
    if (line.includes('agents update hermes')) await admin.patch('/api/v1/agents/hermes', { model: null });
  });
});
