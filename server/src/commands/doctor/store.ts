import { existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { openPostgresSession, openSqliteSession, type Session } from '../../db/archive/session.ts';
import { readSteps } from '../../db/archive/shape.ts';
import { migrations } from '../../db/migrations/index.ts';
import { inspectWall } from '../../db/postgres/wall.ts';
import { postgresStartFault, sqliteStartFault } from '../../db/start-faults.ts';
import { keysFit, LOST_KEYS } from '../../modules/sealing.ts';
import { sqliteFileOf } from '../archive/place.ts';
import { platformKeysOf } from '../keys.ts';
import { type Finding, fail, ok, reasonOf, warn } from './check.ts';

const MIN_POSTGRES = 15;
const CLOCK_WARN_MS = 2_000;

const schemaFinding = async (session: Session): Promise<Finding> => {
  const steps = await readSteps(session);
  const known = new Set(migrations.map((step) => step.name));
  const foreign = steps.filter((name) => !known.has(name));
  if (foreign.length > 0) {
    return fail(
      'schema',
      `has ${foreign.join(', ')}, which this release does not know: run the release that made it, or a newer one`,
    );
  }
  const open = migrations.length - steps.length;
  return open === 0
    ? ok('schema', `${steps.at(-1)}, up to date`)
    : warn('schema', `${open} steps to go: the next start runs them ("migrate" does so now). Back up first`);
};

const sealFinding = async (session: Session, config: Config): Promise<Finding | null> => {
  if ((await readSteps(session)).length < migrations.length) return null;
  const keys = platformKeysOf(config, { damagedIsLost: true });
  const [damaged] = keys.damaged();
  if (damaged !== undefined)
    return fail(
      'signing keys',
      `keys/${damaged} is damaged: bring it back from a backup; if it is lost for good: "keys recover"`,
    );
  return (await keysFit(session.tx, keys))
    ? ok('signing keys', 'what the store has sealed opens with the keys here')
    : fail('signing keys', LOST_KEYS);
};

const integrityFinding = async (session: Session): Promise<Finding> => {
  const rows = await session.all('pragma quick_check(3)');
  const texts = rows.map((row) => String(Object.values(row)[0]));
  return texts.join() === 'ok'
    ? ok('database file', 'sound')
    : fail('database file', `damaged (${texts.join('; ')}): stop the server and restore the last backup`);
};

const extensionFinding = async (session: Session): Promise<Finding> => {
  const [installed] = await session.all(`select extversion as v from pg_extension where extname = 'vector'`);
  const [offered] = await session.all(
    `select default_version as v from pg_available_extensions where name = 'vector'`,
  );
  const version = String((installed ?? offered)?.v ?? '');
  if (version === '') {
    return fail(
      'pgvector',
      'is not installed on the database server: install pgvector 0.8 or newer (Debian: postgresql-<version>-pgvector)',
    );
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 0 && minor < 8)
    return fail(
      'pgvector',
      `${version} is too old: 0.8 or newer is needed, then ALTER EXTENSION vector UPDATE`,
    );
  if (installed !== undefined) return ok('pgvector', version);
  const [may] = await session.all(
    `select rolsuper or exists (select from pg_available_extension_versions where name = 'vector' and trusted)
      as yes from pg_roles where rolname = current_user`,
  );
  return may?.yes === true
    ? ok('pgvector', `${version} is offered; the first start enables it`)
    : fail(
        'pgvector',
        `${version} is offered, and this user may not enable it: run "create extension vector" in this database once, as a superuser (psql -U postgres -d <database>)`,
      );
};

const wallFinding = async (url: string): Promise<Finding> => {
  const { role, gap } = await inspectWall(url);
  if (gap !== null) return warn('row security', `does not stand behind the tenants' filters: ${gap}`);
  return ok(
    'row security',
    role === null ? 'holds for the user of DATABASE_URL' : `holds: connections become the role ${role}`,
  );
};

const postgresFindings = async (session: Session, url: string, now: () => number): Promise<Finding[]> => {
  const before = now();
  const [row] = await session.all(
    `select current_setting('server_version_num')::int as version, (extract(epoch from clock_timestamp()) * 1000)::bigint as time`,
  );
  const middle = (before + now()) / 2;
  const version = Math.floor(Number(row?.version) / 10_000);
  const skewMs = Math.round(Number(row?.time) - middle);
  return [
    version >= MIN_POSTGRES
      ? ok('database', `PostgreSQL ${version} answers`)
      : fail('database', `PostgreSQL ${version} is too old: ${MIN_POSTGRES} or newer is needed`),
    Math.abs(skewMs) < CLOCK_WARN_MS
      ? ok('clock', `${skewMs} ms from the database server's`)
      : warn('clock', `${skewMs} ms from the database server's: tokens and leases suffer. Run NTP on both`),
    await extensionFinding(session),
    await wallFinding(url),
  ];
};

const YEAR_2025_MS = Date.UTC(2025, 0, 1);

/** Whether the store can be used as it is; nothing is changed. */
export const storeFindings = async (config: Config, now: () => number): Promise<Finding[]> => {
  const url = config.DATABASE_URL;
  const file = sqliteFileOf(config);
  const findings: Finding[] = [];
  if (url === null) {
    findings.push(
      now() > YEAR_2025_MS
        ? ok('clock', new Date(now()).toISOString())
        : fail('clock', 'is years behind: set it, tokens depend on it'),
    );
    if (!existsSync(file)) return [...findings, ok('database', 'SQLite, made at the first start')];
  }
  let session: Session;
  try {
    session = url === null ? openSqliteSession(file, { readOnly: true }) : await openPostgresSession(url);
  } catch (error) {
    return [
      ...findings,
      fail(
        'database',
        (url === null ? sqliteStartFault(error, file) : null) ??
          (url === null
            ? `cannot be opened: ${reasonOf(error)}`
            : `cannot be opened: ${postgresStartFault(error, url) ?? reasonOf(error)}. Check DATABASE_URL, that the server runs, and its pg_hba.conf`),
      ),
    ];
  }
  try {
    if (url === null) findings.push(ok('database', `SQLite in ${file}`), await integrityFinding(session));
    else findings.push(...(await postgresFindings(session, url, now)));
    const schema = await schemaFinding(session);
    findings.push(schema);
    const seal = await sealFinding(session, config);
    if (seal !== null) findings.push(seal);
    return findings;
  } catch (error) {
    const words = url === null ? sqliteStartFault(error, file) : null;
    return [...findings, fail('database', words ?? `cannot be read: ${reasonOf(error)}`)];
  } finally {
    await session.close();
  }
};
