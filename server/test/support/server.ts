import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startBalancer } from './balancer.ts';
import { type Client, createClient } from './client.ts';
import { PROGRAM, prepared } from './prepared.ts';
import { type SecretWatch, watchSecrets } from './secrets.ts';
import { migratedDatabase, postgresServer } from './stores.ts';

/**
 * The real server as a child process: a free port, a data folder of its own, its log kept. It can be killed and started
 * again on the same folder. Nothing of this process's settings reaches it. Under test:all its records stand in a PostgreSQL
 * database of its own, so that the same suites hold both engines to the contract; with TEST_NODES it is that many nodes
 * behind a balancer that sends each request to another one.
 */
export interface TestServer {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly admin: { email: string; password: string };
  /** Every line of the log so far, of all starts. */
  readonly log: readonly Record<string, unknown>[];
  /** What must never be in the log: collected from all that goes by `fetch`, and whatever a test notes besides. */
  secrets(): SecretWatch;
  /** What went to standard error so far. */
  stderr(): string;
  /** A client without a token. */
  anonymous(): Client;
  /** Signs in; the first admin without arguments. */
  signIn(email?: string, password?: string): Promise<Client>;
  /** Sends a signal and waits for the end; the exit code, or null where a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Sends a signal and does not wait. */
  signal(signal: NodeJS.Signals): void;
  exited(): Promise<number | null>;
  /** Starts again on the same folder, with further settings if given. */
  start(env?: Record<string, string>): Promise<void>;
  /** Ends the server if it runs, and removes the folder. Throws where the log holds a secret of the run. */
  close(): Promise<void>;
}

export interface ServerOptions {
  env?: Record<string, string>;
  dataDir?: string;
  /** Settings that name a file, such as GOVERNANCE_FILE, with what is to stand in it as JSON. */
  files?: Readonly<Record<string, unknown>>;
  /** The program of another release in place of this one's. */
  program?: string;
}

// A start takes two seconds of CPU; a machine that is full gives them late.
const START_TIMEOUT_MS = 110_000;
export const ADMIN = { email: 'admin@localhost', password: 'correct horse battery staple' };

const DEFAULTS: Record<string, string> = {
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PASSWORD: ADMIN.password,
  RATE_LIMITS: 'off',
  // However busy the machine is: what is quick elsewhere is answered when it is done.
  UPLOAD_WAIT_S: '300',
  MODEL: 'builtin',
  MCP_BUILTIN: 'off',
  // No balancer looks at /ready here.
  SHUTDOWN_LEAD_S: '0',
  // A second of CPU that most suites do not need; `on` where one is about it.
  EMBEDDING_WARM_UP: 'off',
  // Everything that a line could give away.
  LOG_LEVEL: 'trace',
};

const parseLine = (line: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Not a log entry: kept as it is.
  }
  return { text: line };
};

/** As `npm start` has it: less of the garbage is looked through twice. */
const RUNTIME = ['--max-semi-space-size=64'];

/** What a process that ended before it listened said. */
export class StartFailure extends Error {
  readonly code: number | null;
  readonly stderr: string;
  constructor(code: number | null, stderr: string) {
    super(`the server ended with ${code} before it listened:\n${stderr}`);
    this.code = code;
    this.stderr = stderr;
  }
}

/** Saves the first start the schema's steps. A folder that a test has made, and another release's program, get no store. */
const giveEmptyStore = (dataDir: string): void => {
  if (prepared === null) return;
  mkdirSync(dataDir, { mode: 0o700 });
  copyFileSync(prepared.sqliteFile, path.join(dataDir, 'pentarch.sqlite'));
};

/** One process. */
export const startProcess = async (options: ServerOptions = {}): Promise<TestServer> => {
  const ownFolder = options.dataDir === undefined;
  const dataDir = options.dataDir ?? path.join(mkdtempSync(path.join(tmpdir(), 'pentarch-srv-')), 'data');
  const log: Record<string, unknown>[] = [];
  const lines: string[] = [];
  let watch: SecretWatch | null = null;
  let errors = '';
  let child: ChildProcess | null = null;
  let exit: Promise<number | null> = Promise.resolve(null);
  let url = '';
  const database =
    postgresServer === undefined || options.env?.DATABASE_URL !== undefined
      ? null
      : await migratedDatabase(postgresServer);
  const files: Record<string, string> = {};
  for (const [setting, content] of Object.entries(options.files ?? {})) {
    const file = path.join(path.dirname(dataDir), `${setting}.json`);
    writeFileSync(file, JSON.stringify(content));
    files[setting] = file;
  }
  let env: Record<string, string> = {
    ...(database === null ? {} : { DATABASE_URL: database.url }),
    ...files,
    ...options.env,
  };

  if (ownFolder && options.program === undefined && (env.DATABASE_URL ?? '') === '') giveEmptyStore(dataDir);

  const start = async (more: Record<string, string> = {}): Promise<void> => {
    env = { ...env, ...more };
    const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
    const started = spawn(process.execPath, [...RUNTIME, options.program ?? PROGRAM], {
      cwd: path.dirname(dataDir),
      // The port stays over restarts: the address is the issuer of tokens.
      env: {
        PATH,
        HOME,
        TMPDIR,
        ...DEFAULTS,
        ...(url === '' ? {} : { PORT: new URL(url).port }),
        DATA_DIR: dataDir,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const stderrFrom = errors.length;
    started.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    exit = new Promise((resolve) => started.once('close', (code) => resolve(code)));
    const listening = Promise.withResolvers<string>();
    createInterface({ input: started.stdout }).on('line', (line) => {
      const entry = parseLine(line);
      log.push(entry);
      lines.push(line);
      // Behind a balancer the public address is not this process's own.
      if (entry.msg === 'listening') {
        listening.resolve(
          env.PUBLIC_URL === undefined ? String(entry.url) : `http://127.0.0.1:${String(entry.port)}`,
        );
      }
    });
    const timer = setTimeout(() => {
      started.kill('SIGKILL');
    }, START_TIMEOUT_MS);
    exit.then((code) => listening.reject(new StartFailure(code, errors.slice(stderrFrom))));
    try {
      url = await listening.promise;
      if (watch === null) {
        watch = watchSecrets(url);
        watch.note({ password: ADMIN.password, ...env });
      }
    } finally {
      clearTimeout(timer);
    }
  };

  const running = (): boolean => child !== null && child.exitCode === null && child.signalCode === null;
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    if (running()) child?.kill(signal);
    return exit;
  };

  const close = async (): Promise<void> => {
    await end('SIGKILL');
    await database?.drop();
    watch?.end();
    if (ownFolder) rmSync(path.dirname(dataDir), { recursive: true, force: true });
    watch?.assertNoneIn(`${lines.join('\n')}\n${errors}`);
  };

  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }

  const clientOf = (token: string | null) => createClient(() => url, token, options.program === undefined);
  return {
    get url() {
      return url;
    },
    get pid() {
      return child?.pid ?? -1;
    },
    dataDir,
    admin: ADMIN,
    log,
    secrets() {
      if (watch === null) throw new Error('the server has not started');
      return watch;
    },
    stderr: () => errors,
    anonymous: () => clientOf(null),
    async signIn(email = ADMIN.email, password = ADMIN.password) {
      const answer = await clientOf(null).post('/v2/auth/login', { email, password });
      if (answer.status !== 200) throw new Error(`sign-in as ${email}: ${answer.status} ${answer.text}`);
      return clientOf(answer.json<{ access_token: string }>().access_token);
    },
    end,
    signal: (signal) => {
      child?.kill(signal);
    },
    exited: () => exit,
    start,
    close,
  };
};

/** As how many nodes `startServer` starts a server. */
export const NODES = Number(process.env.TEST_NODES ?? '1');
/** Where test:all has started Redis. */
export const redisServer: string | undefined = process.env.TEST_REDIS_URL;

export interface TestCluster extends TestServer {
  readonly nodes: readonly TestServer[];
  /** Further nodes of the same platform, behind the balancer at once. */
  add(env?: Record<string, string>): Promise<TestServer>;
}

export interface ClusterOptions extends ServerOptions {
  nodes: number;
  /** In place of a new database of test:all's PostgreSQL. */
  databaseUrl?: string;
  redisUrl?: string;
}

/** Several nodes of one platform, started at once, seen as one server by its address. */
export const startCluster = async (options: ClusterOptions): Promise<TestCluster> => {
  const { databaseUrl, redisUrl = redisServer } = options;
  if (redisUrl === undefined) throw new Error('TEST_REDIS_URL is not set: run this by test:all');
  if (databaseUrl === undefined && postgresServer === undefined) {
    throw new Error('TEST_DATABASE_URL is not set: run this by test:all');
  }
  const database = databaseUrl === undefined ? await migratedDatabase(postgresServer ?? '') : null;
  const balancer = await startBalancer();
  const env = {
    DATABASE_URL: databaseUrl ?? database?.url ?? '',
    REDIS_URL: redisUrl,
    PLATFORM_KEY: 'a key that the nodes of these tests share',
    PUBLIC_URL: balancer.url,
    ...options.env,
  };
  const nodes: TestServer[] = [];
  const aim = (): void => {
    balancer.targets = nodes.map((node) => node.url);
  };
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.close()));
    await balancer.close();
    await database?.drop();
    rmSync(home, { recursive: true, force: true });
  };
  // One folder of the built-in files server for all nodes, as docs/cluster.md asks for.
  const home = mkdtempSync(path.join(tmpdir(), 'pentarch-nodes-'));
  const files = path.join(home, 'files');
  mkdirSync(files);
  let made = 0;
  const add = async (more: Record<string, string> = {}): Promise<TestServer> => {
    made += 1;
    const dataDir = path.join(home, `node-${made}`, 'data');
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    symlinkSync(files, path.join(dataDir, 'files'));
    const node = await startProcess({ dataDir, env: { ...env, ...more }, files: options.files ?? {} });
    nodes.push(node);
    aim();
    return node;
  };
  const started = await Promise.allSettled(Array.from({ length: options.nodes }, () => add()));
  const failed = started.find((result) => result.status === 'rejected');
  const [first] = nodes;
  if (failed !== undefined || first === undefined) {
    await close();
    throw failed?.reason ?? new Error('a cluster has at least one node');
  }
  return {
    nodes,
    add,
    url: balancer.url,
    get dataDir() {
      return first.dataDir;
    },
    get pid() {
      return first.pid;
    },
    admin: ADMIN,
    /** Of the first node: it stands for the others, which write the same to the same store. */
    secrets: () => first.secrets(),
    get log() {
      return nodes.flatMap((node) => node.log);
    },
    stderr: () => nodes.map((node) => node.stderr()).join(''),
    anonymous: () => createClient(() => balancer.url, null),
    async signIn(email = ADMIN.email, password = ADMIN.password) {
      const answer = await createClient(() => balancer.url, null).post('/v2/auth/login', { email, password });
      if (answer.status !== 200) throw new Error(`sign-in as ${email}: ${answer.status} ${answer.text}`);
      return createClient(() => balancer.url, answer.json<{ access_token: string }>().access_token);
    },
    async end(signal) {
      const codes = await Promise.all(nodes.map((node) => node.end(signal)));
      return codes.find((code) => code !== 0) ?? 0;
    },
    signal: (signal) => {
      for (const node of nodes) node.signal(signal);
    },
    async exited() {
      const codes = await Promise.all(nodes.map((node) => node.exited()));
      return codes.find((code) => code !== 0) ?? 0;
    },
    async start(more) {
      await Promise.all(nodes.map((node) => node.start(more)));
      aim();
    },
    close,
  };
};

export const startServer = (options: ServerOptions = {}): Promise<TestServer> =>
  NODES > 1 ? startCluster({ ...options, nodes: NODES }) : startProcess(options);
