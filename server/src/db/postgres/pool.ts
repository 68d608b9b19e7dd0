import { Socket } from 'node:net';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { ALL_TENANTS, currentScope } from '../scope.ts';
import { createWatch } from './watch.ts';

/**
 * The connections to PostgreSQL. Each is bound to a tenant when it is handed out, so that the policies of the tables
 * (migration 055) hold for whatever runs on it: there is no other way to a connection. A store that does not answer at
 * all is noticed within seconds, its connections are cut, and nobody waits for it.
 */
export interface PoolOptions {
  url: string;
  /** For work of tenants, one after the other. */
  maxConnections: number;
  /** For work that looks after all; not beside those above where that is what everything does (`unscoped`). */
  maxConnectionsOfAll: number;
  /** The role to become (wall.ts); null: the one that signs in. */
  role: string | null;
  /** What work outside of any scope may see: NO_TENANT, or ALL_TENANTS for tools and tests. */
  unscoped: string;
  /**
   * Looks after a store that does not answer, and sends statements without waiting for the answers to those before; tools
   * do without either.
   */
  watched: boolean;
}

/** A connection as it is handed out for work of a tenant; who gets it binds it before anything of that work runs on it. */
export interface Lent {
  client: pg.PoolClient;
  tenant: string;
  /** Whether it is bound to that tenant already. */
  isBound(): boolean;
  /** What it is bound to by now; null: nobody knows. */
  setBound(tenant: string | null): void;
}

export interface Pool extends PostgresPool {
  /** For who binds on his own (`driver.ts`); `connect` hands out bound connections. */
  lend(): Promise<Lent>;
  connections(): { inUse: number; idle: number; waiting: number };
}

/** 64-bit integers arrive as numbers: all that are stored are safe integers (times in ms, nano-dollars, sizes). */
export const numberTypes = new pg.TypeOverrides();
numberTypes.setTypeParser(pg.types.builtins.INT8, Number);
numberTypes.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** How long work waits for a free connection before it is told to come again. */
const WAIT_MS = 20_000;
/** With more than this waiting already there is no hope to be served in that time. */
const MAX_WAITING = 1_000;
/** A statement that takes longer has gone wrong: its locks hold up others. Steps of the schema are not bound by it. */
const STATEMENT_MS = 120_000;
/** A transaction whose node has vanished in the middle ends after this on the server. */
const IDLE_IN_TRANSACTION_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;

/** Binds a connection from outside of a transaction; $1: the tenant. */
export const BIND = "select set_config('app.tenant', $1, false)";

/** Looks like a broken connection to `isStoreUnavailable`, which it is. */
const away = (message: string): Error => Object.assign(new Error(message), { code: 'ETIMEDOUT' });

export const createPool = (options: PoolOptions): Pool => {
  const sockets = new Set<Socket>();
  /** One for each connection; under TLS the encrypted stream stands on it and ends with it. */
  const newSocket = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const newPool = (max: number): pg.Pool => {
    const pool = new pg.Pool({
      connectionString: options.url,
      max,
      connectionTimeoutMillis: WAIT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types: numberTypes,
      stream: newSocket,
      pipeline: options.watched,
    });
    // A connection that breaks is replaced by the pool, and what ran on it has failed; without a listener on each, in the
    // pool or in use, it would end the process.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    return pool;
  };
  const ofTenants = newPool(options.maxConnections);
  // Each request is first of nobody's tenant (who is it?) and then of one: with connections for both in one place, each of them
  // would be bound anew.
  const ofAll = options.unscoped === ALL_TENANTS ? ofTenants : newPool(options.maxConnectionsOfAll);

  /** Who waits for a connection while the store hangs. */
  const waiting = new Set<(error: Error) => void>();
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy(away('the store does not answer'));
    for (const refuse of waiting) refuse(away('the store does not answer'));
  };
  const watch = options.watched ? createWatch({ url: options.url, onSilent: cutAll }) : null;

  const take = (pool: pg.Pool): Promise<pg.PoolClient> => {
    if (watch?.isSilent() === true) return Promise.reject(away('the store does not answer'));
    if (pool.waitingCount >= MAX_WAITING)
      return Promise.reject(away('too many wait for a connection to the store'));
    return new Promise((resolve, reject) => {
      let waits = true;
      const settle = (): boolean => {
        const first = waits;
        waits = false;
        waiting.delete(refuse);
        return first;
      };
      const refuse = (error: Error): void => {
        if (settle()) reject(error);
      };
      waiting.add(refuse);
      pool.connect().then((client) => (settle() ? resolve(client) : client.release()), refuse);
    });
  };

  /** `app.tenant` of each connection that has been handed out before; null: unknown since something has failed. */
  const bound = new WeakMap<pg.PoolClient, string | null>();
  /** The first time: with what holds as long as the connection. */
  const prepare = async (client: pg.PoolClient, tenant: string): Promise<void> => {
    await client.query(
      `select set_config('app.tenant', $1, false), set_config('statement_timeout', $2, false),
        set_config('idle_in_transaction_session_timeout', $3, false)${options.role === null ? '' : ", set_config('role', $4, false)"}`,
      [
        tenant,
        String(STATEMENT_MS),
        String(IDLE_IN_TRANSACTION_MS),
        ...(options.role === null ? [] : [options.role]),
      ],
    );
    bound.set(client, tenant);
  };
  const lend = async (): Promise<Lent> => {
    const tenant = currentScope() ?? options.unscoped;
    const client = await take(tenant === ALL_TENANTS ? ofAll : ofTenants);
    if (!bound.has(client)) {
      await prepare(client, tenant).catch((error: unknown) => {
        // Nobody knows what it is bound to.
        client.release(true);
        throw error;
      });
    }
    return {
      client,
      tenant,
      isBound: () => bound.get(client) === tenant,
      setBound: (to) => bound.set(client, to),
    };
  };

  const all = [...new Set([ofTenants, ofAll])];
  const sumOf = (count: (pool: pg.Pool) => number): number => all.reduce((sum, pool) => sum + count(pool), 0);

  return {
    options: {},
    lend,
    connections: () => {
      const idle = sumOf((pool) => pool.idleCount);
      return {
        inUse: sumOf((pool) => pool.totalCount) - idle,
        idle,
        waiting: sumOf((pool) => pool.waitingCount),
      };
    },
    async connect(): Promise<PostgresPoolClient> {
      const lent = await lend();
      if (lent.isBound()) return lent.client;
      try {
        await lent.client.query(BIND, [lent.tenant]);
        lent.setBound(lent.tenant);
        return lent.client;
      } catch (error) {
        lent.client.release(true);
        throw error;
      }
    },
    async end() {
      await watch?.close();
      await Promise.all(all.map((pool) => pool.end()));
    },
  };
};

/** For the few statements of a tool beside the servers: as the user that signs in. */
export const toolPool = (url: string, unscoped: string): PostgresPool =>
  createPool({ url, maxConnections: 2, maxConnectionsOfAll: 2, role: null, unscoped, watched: false });
