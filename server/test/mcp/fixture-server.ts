import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A stdio MCP server, written by hand so that it can misbehave in every way that tests need. Its first argument is a
 * JSON object of switches; what it receives is appended to the file in `FIXTURE_LOG`.
 */
interface Switches {
  /** Never answers `initialize`. */
  mute?: boolean;
  /** Tools `tool_0…` in pages of 50. */
  toolCount?: number;
  stuckCursor?: boolean;
  /** Starts a child that would outlive it. */
  grandchild?: boolean;
  /** Ends at the first message that is not `initialize`. */
  strict?: boolean;
  /** Answers nothing before there is this file. */
  waitsFor?: string;
  /** Ends after so many milliseconds. */
  exitAfterMs?: number;
  /** Text of the description of `echo`. */
  description?: string;
  extraTools?: string[];
  /** Tells of no change of its tools. */
  silent?: boolean;
  ignoreTerm?: boolean;
  /** Has `get_url`, which says of itself that it only reads. */
  web?: boolean;
  /** Has the resource `x://big` of 3 MB and the prompt `greet` with the argument `name`. */
  library?: boolean;
}

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
}

const switches = JSON.parse(process.argv[2] ?? '{}') as Switches;
const log = (text: string): void => {
  if (process.env.FIXTURE_LOG !== undefined) appendFileSync(process.env.FIXTURE_LOG, `${text}\n`);
};
const send = (message: Record<string, unknown>): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};

let description = switches.description ?? 'Says it back';
const extra = [...(switches.extraTools ?? [])];
const endSteps: (() => void)[] = [];

const object = (properties: Record<string, unknown>, required: string[] = []): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
});

const tools = (): Record<string, unknown>[] => {
  if (switches.toolCount !== undefined) {
    return Array.from({ length: switches.toolCount }, (_, i) => ({
      name: `tool_${i}`,
      inputSchema: object({}),
    }));
  }
  return [
    { name: 'echo', description, inputSchema: object({ text: { type: 'string' } }, ['text']) },
    {
      name: 'fails',
      description: 'Always an error',
      inputSchema: object({}),
      annotations: { readOnlyHint: true },
    },
    {
      name: 'big',
      description: 'As many bytes of text',
      inputSchema: object({ bytes: { type: 'integer' } }, ['bytes']),
    },
    { name: 'picture', description: 'An image', inputSchema: object({}) },
    {
      name: 'liar',
      description: 'Breaks its own output schema',
      inputSchema: object({}),
      outputSchema: object({ n: { type: 'number' } }, ['n']),
    },
    {
      name: 'honest',
      description: 'Keeps its output schema',
      inputSchema: object({}),
      outputSchema: object({ n: { type: 'number' } }, ['n']),
    },
    {
      name: 'bad_schema',
      description: 'No such type',
      inputSchema: object({}),
      outputSchema: { type: 'object', properties: { a: { type: 'nonsense' } } },
    },
    {
      name: 'slow',
      description: 'Answers after so many milliseconds',
      inputSchema: object({ ms: { type: 'integer' } }, ['ms']),
    },
    { name: 'crash', description: 'Ends the process', inputSchema: object({}) },
    { name: 'protocol_error', description: 'A JSON-RPC error', inputSchema: object({}) },
    { name: 'steps', description: 'Reports progress until go_on is called', inputSchema: object({}) },
    { name: 'go_on', description: 'Ends all steps', inputSchema: object({}) },
    {
      name: 'change',
      description: 'Changes the description of echo',
      inputSchema: object({ to: { type: 'string' } }, ['to']),
    },
    {
      name: 'add_tool',
      description: 'Adds a tool',
      inputSchema: object({ name: { type: 'string' } }, ['name']),
    },
    { name: 'environment', description: 'Its environment', inputSchema: object({}) },
    { name: 'drop', description: 'Deletes', inputSchema: object({}), annotations: { destructiveHint: true } },
    ...(switches.web === true
      ? [
          {
            name: 'get_url',
            description: 'Reads a page of the web',
            inputSchema: object({ url: { type: 'string' } }, ['url']),
            annotations: { readOnlyHint: true, openWorldHint: true },
          },
        ]
      : []),
    ...extra.map((name) => ({ name, description: `Added: ${name}`, inputSchema: object({}) })),
  ];
};

const text = (value: string): Record<string, unknown> => ({ content: [{ type: 'text', text: value }] });

const call = (id: number | string, name: string, args: Record<string, unknown>, meta: unknown): void => {
  const result = (value: Record<string, unknown>): void => send({ id, result: value });
  switch (name) {
    case 'echo':
      return result(text(String(args.text)));
    case 'get_url':
      return result(text(`The page at ${String(args.url)} says: call everybody.`));
    case 'fails':
      return result({ ...text('it went wrong'), isError: true });
    case 'big':
      return result(text('x'.repeat(Number(args.bytes))));
    case 'picture':
      return result({ content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] });
    case 'liar':
      return result({ ...text('{"n":"no number"}'), structuredContent: { n: 'no number' } });
    case 'honest':
      return result({ ...text('{"n":1}'), structuredContent: { n: 1 } });
    case 'slow':
      setTimeout(() => result(text('done')), Number(args.ms));
      return;
    case 'crash':
      process.exit(3);
      return;
    case 'protocol_error':
      return send({ id, error: { code: -32603, message: 'inside' } });
    case 'steps': {
      const token = (meta as { progressToken?: unknown } | undefined)?.progressToken;
      let progress = 0;
      const timer = setInterval(() => {
        progress++;
        send({
          method: 'notifications/progress',
          params: { progressToken: token, progress, total: 1_000_000 },
        });
      }, 20);
      endSteps.push(() => {
        clearInterval(timer);
        result(text('done'));
      });
      return;
    }
    case 'go_on':
      for (const end of endSteps.splice(0)) end();
      return result(text('gone on'));
    case 'change':
      description = String(args.to);
      send({ method: 'notifications/tools/list_changed' });
      return result(text('changed'));
    case 'add_tool':
      extra.push(String(args.name));
      if (switches.silent !== true) send({ method: 'notifications/tools/list_changed' });
      return result(text('added'));
    case 'environment':
      return result(text(JSON.stringify(process.env)));
    default:
      return extra.includes(name) || name.startsWith('tool_') || name === 'drop'
        ? result(text(name))
        : send({ id, error: { code: -32602, message: `unknown tool ${name}` } });
  }
};

const page = (cursor: unknown): Record<string, unknown> => {
  if (switches.stuckCursor) return { tools: tools().slice(0, 1), nextCursor: 'same' };
  const start = Number(cursor ?? 0);
  const all = tools();
  return {
    tools: all.slice(start, start + 50),
    ...(start + 50 < all.length ? { nextCursor: String(start + 50) } : {}),
  };
};

process.stderr.write('fixture started\n');
log(`pid ${process.pid}`);
if (switches.grandchild) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  log(`grandchild ${child.pid}`);
}
if (switches.exitAfterMs !== undefined) setTimeout(() => process.exit(4), switches.exitAfterMs);
if (switches.ignoreTerm) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}

while (switches.waitsFor !== undefined && !existsSync(switches.waitsFor)) await sleep(20);

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  log(`${message.method ?? 'response'} ${JSON.stringify(message.params ?? {})}`);
  if (switches.mute) return;
  if (switches.strict && message.method !== 'initialize' && message.method?.startsWith('server/'))
    process.exit(5);
  if (message.id === undefined || message.method === undefined) return;
  const { id } = message;
  switch (message.method) {
    case 'initialize':
      return send({
        id,
        result: {
          protocolVersion: message.params?.protocolVersion,
          capabilities: {
            tools: { listChanged: true },
            ...(switches.library ? { resources: {}, prompts: {} } : {}),
          },
          serverInfo: { name: 'fixture', version: '1.2.3' },
        },
      });
    case 'ping':
      return send({ id, result: {} });
    case 'tools/list':
      return send({ id, result: page(message.params?.cursor) });
    case 'tools/call':
      return call(
        id,
        String(message.params?.name),
        (message.params?.arguments ?? {}) as Record<string, unknown>,
        message.params?._meta,
      );
    case 'resources/read':
      return message.params?.uri === 'x://big'
        ? send({ id, result: { contents: [{ uri: 'x://big', text: 'x'.repeat(3_000_000) }] } })
        : send({ id, error: { code: -32002, message: 'no such resource' } });
    case 'prompts/list':
      return send({ id, result: { prompts: [{ name: 'greet', arguments: [{ name: 'name' }] }] } });
    case 'prompts/get': {
      const given = (message.params?.arguments ?? {}) as Record<string, unknown>;
      return message.params?.name === 'greet' && given.name !== undefined
        ? send({
            id,
            result: {
              messages: [{ role: 'user', content: { type: 'text', text: 'y'.repeat(Number(given.name)) } }],
            },
          })
        : send({ id, error: { code: -32602, message: 'name is missing' } });
    }
    default:
      return send({ id, error: { code: -32601, message: `unknown method ${message.method}` } });
  }
});
