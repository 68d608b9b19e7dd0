import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { McpStdioEndpoint } from '../../kernel/mcp.ts';
import { readableMessage } from './messages.ts';

/**
 * Messages to a child process over its standard streams. In place of the SDK's own transport, because a server is often
 * a launcher with children of its own: each runs in a process group that is ended as a whole, and a death is reported
 * when the process exits, not when the last holder of its pipes does.
 */

/** A message larger than this ends the connection; results up to 1 MB after decoding need room for escapes. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_LOG_LINE_CHARACTERS = 4_000;
/** Time for leaving by itself after its input has closed, then after SIGTERM. */
const EXIT_GRACE_MS = 500;
const TERM_GRACE_MS = 1_500;
/** After exit: time for what is still in the pipe to be read. */
const DRAIN_MS = 200;

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (child.pid === undefined) return;
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is already gone.
  }
};

const waitForExit = (child: ChildProcess, ms: number): Promise<boolean> => {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.off('exit', onExit);
      resolve(false);
    }, ms);
    const onExit = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    child.once('exit', onExit);
  });
};

/** Splits a stream of bytes into lines; the last one may have no end of its own. */
const lineReader = (onLine: (line: string) => void): { read(chunk: Buffer): void; end(): void } => {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  /** The beginning of the present line has been handed on; its end is passed over. */
  let cut = false;
  const read = (chunk: Buffer): void => {
    rest += decoder.write(chunk);
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!cut && line.trim() !== '') onLine(line.slice(0, MAX_LOG_LINE_CHARACTERS));
      cut = false;
    }
    if (!cut && rest.length > MAX_LOG_LINE_CHARACTERS) {
      cut = true;
      onLine(rest.slice(0, MAX_LOG_LINE_CHARACTERS));
    }
    if (cut) rest = '';
  };
  const end = (): void => {
    if (rest.trim() !== '') onLine(rest);
    rest = '';
  };
  return { read, end };
};

/**
 * Splits a stream of bytes into messages, one a line. Joins the parts of a line once, when its end has come: the SDK's
 * own buffer joins at every read, which takes seconds for a result of some megabytes.
 */
const messageReader = (
  onMessage: (message: JSONRPCMessage) => void,
  onBadLine: (error: Error) => void,
  onTooLarge: (error: Error) => void,
): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  let stopped = false;
  const take = (line: string): void => {
    if (line.trim() === '') return;
    try {
      const message = readableMessage(JSON.parse(line));
      if (message !== null) onMessage(parseJSONRPCMessage(message));
    } catch (error) {
      onBadLine(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (chunk) => {
    if (stopped) return;
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      take(Buffer.concat(parts).toString('utf8'));
      parts = [];
      sizeBytes = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length === 0) return;
    parts.push(rest);
    sizeBytes += rest.length;
    if (sizeBytes <= MAX_MESSAGE_BYTES) return;
    stopped = true;
    parts = [];
    onTooLarge(new Error(`the server sent a message of more than ${MAX_MESSAGE_BYTES} bytes`));
  };
};

export interface GroupStdioTransport extends Transport {
  readonly pid: number | null;
  /** The SDK knows transports of processes by this property; what it holds goes to `onStderr`. */
  readonly stderr: null;
  /** How the process ended, for messages; null while it runs. */
  exitReason(): string | null;
}

export const createStdioTransport = (
  endpoint: McpStdioEndpoint,
  onStderr: (line: string) => void,
): GroupStdioTransport => {
  let child: ChildProcess | null = null;
  let ended: string | null = null;
  let closed = false;
  /** We ended it: how it left says nothing. */
  let dismissed = false;

  const finish = (): void => {
    if (closed) return;
    closed = true;
    transport.onclose?.();
  };

  const read = messageReader(
    (message) => transport.onmessage?.(message),
    // A line that is no message (many servers print notices): the ones after it count.
    (error) => transport.onerror?.(error),
    (error) => {
      ended ??= `was ended: ${error.message}`;
      transport.onerror?.(error);
      void transport.close();
    },
  );

  const transport: GroupStdioTransport = {
    get pid() {
      return child?.pid ?? null;
    },
    stderr: null,
    exitReason: () => ended,
    start: () =>
      new Promise((resolve, reject) => {
        const started = spawn(endpoint.command, [...endpoint.args], {
          env: { ...getDefaultEnvironment(), ...endpoint.env },
          ...(endpoint.cwd === undefined ? {} : { cwd: endpoint.cwd }),
          stdio: ['pipe', 'pipe', 'pipe'],
          detached: process.platform !== 'win32',
          shell: false,
          windowsHide: true,
        });
        child = started;
        started.once('spawn', resolve);
        started.on('error', (error) => {
          ended ??= `could not be started: ${error.message}`;
          reject(error);
          finish();
        });
        started.once('exit', (code, signal) => {
          if (!dismissed) ended ??= signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
          // What it started must not outlive it, and must not hold its pipes open.
          signalGroup(started, 'SIGKILL');
          setTimeout(finish, DRAIN_MS).unref();
        });
        started.once('close', finish);
        started.stdin?.on('error', (error) => transport.onerror?.(error));
        started.stdout?.on('error', (error) => transport.onerror?.(error));
        started.stdout?.on('data', read);
        const lines = lineReader(onStderr);
        started.stderr?.on('data', lines.read);
        started.stderr?.once('close', lines.end);
        started.stderr?.on('error', () => {});
      }),
    send: (message: JSONRPCMessage) =>
      new Promise((resolve, reject) => {
        const input = child?.stdin;
        if (closed || !input?.writable) return reject(new Error('the server process is not running'));
        if (input.write(serializeMessage(message))) resolve();
        else input.once('drain', () => resolve());
      }),
    close: async () => {
      const running = child;
      if (running === null || running.pid === undefined) return finish();
      // One that has left by itself is not dismissed, whichever of the two is noticed first.
      dismissed = running.exitCode === null && running.signalCode === null;
      running.stdin?.end();
      if (!(await waitForExit(running, EXIT_GRACE_MS))) {
        signalGroup(running, 'SIGTERM');
        if (!(await waitForExit(running, TERM_GRACE_MS))) {
          signalGroup(running, 'SIGKILL');
          await waitForExit(running, TERM_GRACE_MS);
        }
      }
      running.stdout?.destroy();
      running.stderr?.destroy();
      finish();
    },
  };
  return transport;
};
