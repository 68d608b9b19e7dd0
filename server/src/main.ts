import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Arguments, signals, listen. Everything else is built in `compose.ts`; other commands are in `commands/`. */

const MIN_NODE = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < MIN_NODE) {
  process.stderr.write(
    `Pentarch needs Node.js ${MIN_NODE}; this is ${process.version}. "npm ci" installs it into node_modules and "npm start" uses it; run npm ci again without --ignore-scripts.\n`,
  );
  process.exit(1);
}
enableCompileCache();

const argv = process.argv.slice(2);
if (argv[0] !== undefined && argv[0] !== 'serve') {
  const { help, runCommand } = await import('./commands/index.ts');
  if (['help', '--help', '-h'].includes(argv[0])) {
    process.stdout.write(`${help()}\n`);
    process.exit(0);
  }
  const io = {
    env: process.env,
    folder: process.cwd(),
    out: (line: string): void => void process.stdout.write(`${line}\n`),
    progress: process.stderr.isTTY
      ? (line: string): void =>
          void process.stderr.write(`\r${line.slice(0, (process.stderr.columns || 80) - 1)}\u001b[K`)
      : null,
    now: Date.now,
    ask: process.stdin.isTTY
      ? async (question: string): Promise<string> => {
          const { createInterface } = await import('node:readline/promises');
          const terminal = createInterface({ input: process.stdin, output: process.stderr });
          return terminal.question(question).finally(() => terminal.close());
        }
      : null,
  };
  process.exit(await runCommand(argv, io, (line) => void process.stderr.write(`${line}\n`)));
}
if (argv.length > 1) {
  process.stderr.write(`serve takes no arguments: ${argv.slice(1).join(' ')}\n`);
  process.exit(2);
}

const { compose } = await import('./compose.ts');
const { startTracing } = await import('./modules/tracing.ts');
const { ConfigError, isLoopback, loadConfig, publicUrl } = await import('./config.ts');
const { StartRefused } = await import('./db/refusal.ts');
const { folderStartFault } = await import('./db/start-faults.ts');
const { banner, keepFirstPassword } = await import('./banner.ts');
const { createLogger } = await import('./log.ts');
const { watchStarter } = await import('./started-by.ts');

const starter = watchStarter(process.env);

/** A second signal after this long means: at once. */
const SAME_SIGNAL_MS = 1_000;

/** Some quiet after the start, so that the first requests do not wait for it. */
const COLLECT_AFTER_MS = 1_000;

/**
 * A start leaves some 50 MB that nothing uses any more (sources, schemas before they were compiled), and a process with
 * little to do would keep them for hours, since nothing makes the runtime collect.
 */
const collectOnce = (): void => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setTimeout(
    () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    COLLECT_AFTER_MS,
  ).unref();
};

const start = async (): Promise<void> => {
  const config = loadConfig(process.env, process.cwd());
  const logger = await createLogger({
    level: config.LOG_LEVEL,
    format: config.LOG_FORMAT,
    interactive: process.stdout.isTTY === true,
  });
  let url = publicUrl(config, config.PORT);
  const tracing = await startTracing(config, logger);
  const platform = await compose(config, logger, () => url);

  await platform.app.listen({
    host: config.HOST,
    port: config.PORT,
    listenTextResolver: () => 'socket open',
  });
  const address = platform.app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.PORT;
  url = publicUrl(config, port);
  if (!isLoopback(config.HOST) && config.TLS_CERT_FILE === null && config.TRUST_PROXY.length === 0) {
    logger.warn(
      'reachable from outside without TLS: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY behind a proxy',
    );
  }
  const facts = {
    url,
    admin: platform.admin,
    dataDir: config.DATABASE_URL === null ? config.DATA_DIR : `${config.DATA_DIR} (records in PostgreSQL)`,
    model: platform.models.defaultModel.id,
  };
  logger.info({ url, port, model: facts.model, data_dir: config.DATA_DIR }, 'listening');
  // For a person's eyes: what is no terminal is kept, as a log is.
  if (process.stderr.isTTY) process.stderr.write(banner(facts));
  else if (facts.admin.password !== null) {
    const file = keepFirstPassword(config.DATA_DIR, facts.admin.password);
    logger.warn(
      { file, email: facts.admin.email },
      'the first password of the administrator is in this file: remove it once you have signed in',
    );
  }
  collectOnce();

  let stopping = false;
  let stoppingSinceMs = 0;
  const end = (exitCode: number, leadMs: number): void => {
    stopping = true;
    stoppingSinceMs = performance.now();
    const closed = platform.close(leadMs).finally(() => tracing.close());
    closed.then(
      () => process.exit(exitCode),
      (error: unknown) => {
        logger.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) {
      // Service managers tell every process of a group, and `pentarch serve` hands on what it was told: that is one wish.
      if (performance.now() - stoppingSinceMs < SAME_SIGNAL_MS) return;
      return process.exit(1);
    }
    logger.info({ signal }, 'stopping');
    // Who presses Ctrl-C has no balancer that would have to look elsewhere first.
    end(0, signal === 'SIGTERM' ? config.SHUTDOWN_LEAD_S * 1000 : 0);
  };
  platform.lost.then((error) => {
    if (stopping) return;
    logger.fatal({ err: error }, 'the store is another process’ now: stopping');
    end(1, 0);
  });
  process.on('SIGTERM', stop);
  starter.onGone(() => {
    if (!stopping) stop('SIGTERM');
  });
  process.on('SIGINT', stop);
};

process.on('unhandledRejection', (reason) => {
  process.stderr.write(`unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}\n`);
});

start().catch((error: unknown) => {
  const words =
    error instanceof ConfigError || error instanceof StartRefused ? error.message : folderStartFault(error);
  const text = words ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.stderr.write(`Pentarch cannot start.\n${text}\n`);
  process.exit(1);
});
