import pg from 'pg';

/**
 * Policies do not hold for superusers and roles with BYPASSRLS. Where the user of DATABASE_URL is a superuser, connections
 * become a plain role that is a member of it: it owns what the user owns, and the policies hold for it.
 */
export interface Wall {
  /** The role to become; null where the user's own does. */
  role: string | null;
  /** Why the policies do not hold, and what to do; null where they do. */
  gap: string | null;
}

interface Login {
  name: string;
  superuser: boolean;
  bypasses: boolean;
}

const MAX_TRIES = 10;
const AGAIN_MS = 100;

const loginOf = async (client: pg.Client): Promise<Login> => {
  const { rows } = await client.query<Login>(
    `select rolname as name, rolsuper as superuser, rolbypassrls as bypasses from pg_roles where rolname = current_user`,
  );
  const [login] = rows;
  if (login === undefined) throw new Error('the user of DATABASE_URL has no role');
  return login;
};

/** Names of PostgreSQL have at most 63 bytes; the end tells what it is for. */
const roleName = (login: string): string =>
  `${Buffer.from(login)
    .subarray(0, 50)
    .toString('latin1')
    .replaceAll(/[^a-zA-Z0-9_]/g, '_')}_walled`;

const isReady = async (client: pg.Client, role: string, login: string): Promise<boolean> => {
  const { rows } = await client.query<{ ready: boolean }>(
    `select pg_has_role(oid, $2, 'usage') and not rolsuper and not rolbypassrls as ready from pg_roles where rolname = $1`,
    [role, login],
  );
  return rows[0]?.ready === true;
};

const gapOf = (login: Login): string =>
  `the role ${login.name} goes round row-level security (BYPASSRLS): alter role ${login.name} nobypassrls`;

/** What stands, without a change; for the doctor. Throws when the database does not answer. */
export const inspectWall = async (url: string): Promise<Wall> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const login = await loginOf(client);
    if (login.superuser) return { role: roleName(login.name), gap: null };
    return { role: null, gap: login.bypasses ? gapOf(login) : null };
  } finally {
    await client.end();
  }
};

/** Makes the role where one is needed. Safe to run on several nodes and several databases of one server at once. */
export const raiseWall = async (url: string): Promise<Wall> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const login = await loginOf(client);
    if (!login.superuser) return { role: null, gap: login.bypasses ? gapOf(login) : null };
    const role = roleName(login.name);
    for (let tries = 1; !(await isReady(client, role, login.name)); tries++) {
      try {
        await client
          .query(`create role ${client.escapeIdentifier(role)} nologin nosuperuser nobypassrls`)
          .catch((error: unknown) => {
            // It is there already, without the membership.
            if (!(error instanceof Error && 'code' in error && error.code === '42710')) throw error;
          });
        await client.query(
          `grant ${client.escapeIdentifier(login.name)} to ${client.escapeIdentifier(role)}`,
        );
      } catch (error) {
        // Another database of the server is made ready at the same moment: roles are the server's.
        if (tries === MAX_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
    return { role, gap: null };
  } finally {
    await client.end();
  }
};

/** For a fresh database: only a superuser may make the extension, which connections are no more behind the wall. */
export const makeExtension = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('create extension if not exists vector');
  } catch {
    // Without it the search says what to do (features/knowledge/index-postgres.store.ts).
  } finally {
    await client.end();
  }
};
