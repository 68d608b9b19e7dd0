import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StartRefused } from './refusal.ts';

/**
 * A node's place on a PostgreSQL database, held by advisory locks of one connection, so that it goes with the process
 * however that ends: nodes that share Redis hold the platform together, one without Redis holds it alone. Starting nodes
 * go one after another (schema, keys, first admin). An idle connection costs the server next to nothing.
 */

export interface Presence {
  /** Lets the next node start. */
  started(): Promise<void>;
  release(): Promise<void>;
}

export interface PresenceOptions {
  url: string;
  nodeId: string;
  /** Without Redis: no other node may be on this database. */
  alone: boolean;
  /** The place was lost while the store was away, and somebody else has it now. */
  onLost(error: StartRefused): void;
  onWait(message: string): void;
}

const PLATFORM = 7_310_001;
const START = 7_310_002;
const NODES = 7_310_003;
/** A killed process' connection ends within moments; a machine that is gone takes the server's keep-alive. */
const PATIENCE_MS = 15_000;
const EVERY_MS = 250;

const nodeNumber = (id: string): number =>
  Buffer.from(hash('sha256', id, 'hex').slice(0, 8), 'hex').readInt32BE();

const asks = async (
  client: pg.Client,
  statement: string,
  values: readonly unknown[] = [],
): Promise<boolean> => {
  const { rows } = await client.query<{ got: boolean }>(statement, [...values]);
  return rows[0]?.got === true;
};

const refusal = (alone: boolean): StartRefused =>
  new StartRefused(
    alone
      ? 'another Pentarch process is at work on this database. Several nodes need REDIS_URL, the same on each; or stop the other one'
      : 'a Pentarch process without REDIS_URL is at work on this database. Set the same REDIS_URL on every node, or stop that one',
  );

const takePlace = async (client: pg.Client, options: PresenceOptions): Promise<void> => {
  // A peer that vanished without a word is noticed by the server after half a minute and not after hours.
  await client.query(
    'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
  );
  const kind = options.alone ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const until = Date.now() + PATIENCE_MS;
  while (!(await asks(client, `select ${kind}(${PLATFORM}) as got`))) {
    if (Date.now() > until) throw refusal(options.alone);
    await delay(EVERY_MS);
  }
  const own = nodeNumber(options.nodeId);
  while (!(await asks(client, 'select pg_try_advisory_lock($1, $2) as got', [NODES, own]))) {
    if (Date.now() > until) {
      throw new StartRefused(
        'another process uses the id of this node: its data folder is a copy of the other one’s; remove node-id from it',
      );
    }
    await delay(EVERY_MS);
  }
};

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
};

/** Throws `StartRefused` when the database is somebody else's. Holds the turn to start until `started`. */
export const holdPresence = async (options: PresenceOptions): Promise<Presence> => {
  let client = await connect(options.url);
  let closed = false;

  const watch = (watched: pg.Client): void => {
    watched.once('end', () => {
      if (!closed) void again();
    });
  };

  /** The store was away: the place is taken anew, for as long as that takes. */
  const again = async (): Promise<void> => {
    while (!closed) {
      let next: pg.Client | null = null;
      try {
        next = await connect(options.url);
        await takePlace(next, options);
        client = next;
        if (closed) await next.end();
        else watch(next);
        return;
      } catch (error) {
        await next?.end().catch(() => {});
        if (error instanceof StartRefused) return options.onLost(error);
        await delay(1_000);
      }
    }
  };

  try {
    await takePlace(client, options);
    if (!(await asks(client, `select pg_try_advisory_lock(${START}) as got`))) {
      options.onWait('another node is starting: waiting for it');
      await client.query(`select pg_advisory_lock(${START})`);
    }
  } catch (error) {
    closed = true;
    await client.end().catch(() => {});
    throw error;
  }
  watch(client);

  return {
    async started() {
      await client.query(`select pg_advisory_unlock(${START})`);
    },
    async release() {
      closed = true;
      await client.end().catch(() => {});
    },
  };
};
