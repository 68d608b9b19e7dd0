import { Command } from 'commander';
import { ApiError, type Caller } from 'pentarch-sdk';
import type { Context } from '../context.ts';
import { type ExitCode, failureOf } from '../errors.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../text.ts';
import { VERSION } from '../version.ts';

/** Looks where a call could fail, in the order in which it would, and says what to do. */

type Status = 'ok' | 'warn' | 'fail';

interface Check {
  readonly name: string;
  readonly status: Status;
  readonly detail: string;
  /** What to do; null where nothing is. */
  readonly advice: string | null;
}

/** Tokens are refused by servers whose clock is off by more. */
const SKEW_MS = 60_000;
const SOON_MS = 24 * 3_600_000;
const USUAL = ['chat:write', 'conversations:read', 'knowledge:read', 'knowledge:write', 'governance:read'];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Seen {
  status: number;
  text: string;
  date: string | null;
}

/** Also what an answer says beside its body: /ready has its checks in a 503 too. */
const watch = (): { seen: () => Seen | null; fetch: typeof fetch } => {
  let last: Seen | null = null;
  return {
    seen: () => last,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      last = {
        status: response.status,
        text: await response.clone().text(),
        date: response.headers.get('date'),
      };
      return response;
    },
  };
};

const readyChecks = (text: string): Check[] => {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Told as not understood below.
  }
  const checks = isRecord(body) && isRecord(body.checks) ? body.checks : {};
  const parts = Object.entries(checks).flatMap(([name, value]): Check[] => {
    if (!isRecord(value)) return [];
    const status: Status = value.status === 'ok' ? 'ok' : value.status === 'degraded' ? 'warn' : 'fail';
    const detail = typeof value.detail === 'string' ? value.detail : String(value.status);
    const advice = status === 'ok' ? null : 'look into the log of the server';
    return [{ name: `ready: ${name}`, status, detail: oneLine(detail), advice }];
  });
  if (parts.length > 0) return parts;
  return [
    {
      name: 'ready',
      status: 'fail',
      detail: 'the answer is not that of Pentarch',
      advice: 'check the address',
    },
  ];
};

const clockCheck = (date: string | null, nowMs: number): Check => {
  const serverMs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serverMs)) {
    return { name: 'clock', status: 'warn', detail: 'the server tells no time', advice: null };
  }
  const offMs = nowMs - serverMs;
  if (Math.abs(offMs) <= SKEW_MS)
    return { name: 'clock', status: 'ok', detail: 'same time as the server', advice: null };
  const detail = `${Math.round(Math.abs(offMs) / 1000)} s ${offMs > 0 ? 'ahead of' : 'behind'} the server`;
  return { name: 'clock', status: 'warn', detail, advice: 'set the clocks by NTP: tokens go by them' };
};

const tokenCheck = (me: Caller, from: string, nowMs: number): Check => {
  const detail = `${me.email} by ${from}`;
  if (me.exp === null || me.credential === 'jwt')
    return { name: 'token', status: 'ok', detail, advice: null };
  const leftMs = me.exp * 1000 - nowMs;
  if (leftMs > SOON_MS) return { name: 'token', status: 'ok', detail, advice: null };
  return {
    name: 'token',
    status: 'warn',
    detail: `${detail}; ends within a day`,
    advice: 'make a new one with "pentarch tokens create"',
  };
};

const examine = async (context: Context): Promise<{ checks: Check[]; exitCode: ExitCode }> => {
  const { runtime, target, store, clientWith } = context;
  const checks: Check[] = [];
  const mode = store.mode();
  const open = mode !== null && (mode & 0o077) !== 0 && process.platform !== 'win32';
  checks.push({
    name: 'settings',
    status: open ? 'warn' : 'ok',
    detail: mode === null ? 'no profiles yet' : `${store.file}, mode ${mode.toString(8)}`,
    advice: open ? `others can read tokens in it: chmod 600 ${store.file}` : null,
  });
  checks.push({
    name: 'address',
    status: 'ok',
    detail: `${target.url}${target.profile === null ? '' : `, profile ${target.profile}`}`,
    advice: null,
  });

  const watched = watch();
  const client = clientWith({ fetch: watched.fetch, maxRetries: 0, timeoutMs: 10_000 });
  const bare = clientWith({ fetch: watched.fetch, maxRetries: 0, timeoutMs: 10_000, auth: undefined });
  try {
    const { version } = await bare.system.health();
    checks.push({ name: 'reachable', status: 'ok', detail: 'the server answers', advice: null });
    const same = version.split('.')[0] === VERSION.split('.')[0];
    checks.push({
      name: 'version',
      status: same ? 'ok' : 'warn',
      detail: `server ${oneLine(version)}, command line ${VERSION}`,
      advice: same ? null : 'take a command line of the same major version',
    });
  } catch (error) {
    const failure = failureOf(error);
    const answered = error instanceof ApiError;
    checks.push({
      name: 'reachable',
      status: 'fail',
      detail: oneLine(failure.message),
      advice: answered
        ? 'something else answers at this address: check --url'
        : 'is it running ("pentarch serve"), and is the address right (--url, PENTARCH_URL)?',
    });
    return { checks, exitCode: failure.exitCode };
  }
  checks.push(clockCheck(watched.seen()?.date ?? null, runtime.now()));

  await bare.system.ready().catch(() => {});
  const ready = readyChecks(watched.seen()?.text ?? '');
  checks.push(...ready);
  const notReady = ready.some(({ status }) => status === 'fail');

  let me: Caller;
  try {
    me = await client.auth.getMe();
  } catch (error) {
    const failure = failureOf(error);
    const none = target.auth === null;
    checks.push({
      name: 'token',
      status: 'fail',
      detail: none ? 'not signed in' : oneLine(failure.message),
      advice: 'sign in with "pentarch login", or set PENTARCH_TOKEN',
    });
    return { checks, exitCode: notReady ? 11 : failure.exitCode };
  }
  checks.push(tokenCheck(me, target.authFrom, runtime.now()));

  const lacking = USUAL.filter((permission) => !me.permissions.includes(permission));
  checks.push({
    name: 'permissions',
    status: lacking.length === 0 ? 'ok' : 'warn',
    detail:
      lacking.length === 0
        ? `${me.roles.join(', ')}: ${me.permissions.length} permissions`
        : `without ${lacking.join(', ')}`,
    advice: lacking.length === 0 ? null : 'an admin gives roles with "pentarch users update ID --roles …"',
  });

  try {
    // Which model the server would take is its own affair; which ones answered stands in the ledger.
    const { by_model: used } = await client.costs.getUsage({ period: 'month' });
    const models = used.flatMap(({ model }) => (model === null ? [] : [model]));
    const builtIn = models.length > 0 && models.every((model) => model.startsWith('builtin'));
    checks.push({
      name: 'model',
      status: builtIn ? 'warn' : 'ok',
      detail: models.length === 0 ? 'no answer yet this month' : oneLine(models.join(', ')),
      advice: builtIn ? 'answers are quoted from documents: set MODEL and its key at the server' : null,
    });
  } catch (error) {
    checks.push({ name: 'model', status: 'warn', detail: oneLine(failureOf(error).message), advice: null });
  }
  return { checks, exitCode: notReady ? 11 : 0 };
};

export const doctorCommand = (shell: Shell): Command => {
  const command = new Command('doctor')
    .description('Check address, server, clock, sign-in, permissions and model, and say what to do')
    .action(async () => {
      const context = shell.open(command);
      const { out, runtime } = context;
      const { checks, exitCode } = await examine(context);
      if (out.json) out.record({ ok: exitCode === 0, exit_code: exitCode, checks });
      else {
        const width = Math.max(...checks.map(({ name }) => name.length));
        for (const { name, status, detail, advice } of checks) {
          const mark =
            status === 'ok' ? out.good('ok  ') : status === 'warn' ? out.warn('warn') : out.bad('FAIL');
          out.line(`${mark}  ${name.padEnd(width)}  ${detail}`);
          if (advice !== null) out.line(`${' '.repeat(width + 8)}→ ${advice}`);
        }
      }
      runtime.exit(exitCode);
    });
  return shell.finish(command, ['doctor', 'doctor --url https://agents.example.com --json']);
};
