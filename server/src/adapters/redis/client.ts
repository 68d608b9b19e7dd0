import { AppError } from '../../kernel/errors.ts';

/**
 * Two connections to Redis or Valkey: one for commands, one for messages. Both come back by themselves; while they are
 * away commands fail at once instead of piling up, so that callers can be told to come again.
 */
const COMMAND_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_WAIT_MS = 500;
const PING_MS = 2_000;
/** Nothing sent and nothing heard: with the ping above that is a connection whose other end does not answer. */
const SILENT_MS = 5_000;

export type RedisClient = Awaited<ReturnType<typeof newClient>>;

const newClient = async (url: string, onError: (error: unknown) => void, offline: 'refuse' | 'wait') => {
  // Loaded where it is used: the package is hundreds of files, and a node by itself needs none of them.
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    disableOfflineQueue: offline === 'refuse',
    pingInterval: PING_MS,
    commandOptions: { timeout: COMMAND_TIMEOUT_MS },
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 6), MAX_RECONNECT_WAIT_MS),
    },
  });
  client.on('error', onError);
  return client;
};

export class RedisAway extends Error {
  /** It is there, and does not take the user or password. */
  get refusesSignIn(): boolean {
    return (
      this.cause instanceof Error &&
      /^(WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password)/.test(this.cause.message)
    );
  }
}

/** Connects, or throws `RedisAway` when nobody answers within a few seconds. */
export const connectRedis = async (
  url: string,
  onError: (error: unknown) => void,
): Promise<{ commands: RedisClient; subscriber: RedisClient }> => {
  // It connects again and again: what it met is told by its events alone.
  let met: unknown = null;
  const listener = (error: unknown): void => {
    met = error;
    onError(error);
  };
  const commands = await newClient(url, listener, 'refuse');
  const subscriber = await newClient(url, listener, 'wait');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), CONNECT_TIMEOUT_MS * 2);
  });
  const connecting = Promise.all([commands.connect(), subscriber.connect()]);
  connecting.catch(() => {});
  try {
    await Promise.race([connecting, late]);
    return { commands, subscriber };
  } catch (error) {
    commands.destroy();
    subscriber.destroy();
    throw new RedisAway('Redis does not answer', { cause: met ?? error });
  } finally {
    clearTimeout(timer);
  }
};

export const redisAway = (cause: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'what the nodes share does not answer now; try again', {
    retryAfterS: 5,
    cause,
  });
