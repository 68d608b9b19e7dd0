import type { Db, Queryable } from '../../../db/db.ts';
import type { JobHandler, Jobs } from '../../../jobs/index.ts';
import type { Caller } from '../../../kernel/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { OutgoingHttp } from '../../../kernel/outgoing.ts';
import { type ActorFor, readCredential } from '../../../kernel/stored-credential.ts';
import type { Audit } from '../../audit/index.ts';
import type { ChatService, Turn } from '../../chat/index.ts';
import { type AttemptVerdict, afterAttempt, attemptDelivery, verdictOf } from '../../webhooks/index.ts';
import { isTerminal } from '../tasks.ts';
import { notificationOf } from './body.ts';
import { type PushPayload, pushKind } from './jobs.ts';
import { openSecrets, type PushSecretBox } from './secrets.ts';
import { type A2aPushConfigRow, changeConfig, findConfig } from './store.ts';

export interface PushDeliverOptions {
  db: Db;
  clock: Clock;
  http: OutgoingHttp;
  box: PushSecretBox;
  jobs: Pick<Jobs, 'enqueue'>;
  audit: Audit;
  actorFor: ActorFor<Queryable>;
  chat: Pick<ChatService, 'turn'>;
  /** After a notification has arrived: the task may have moved on meanwhile. */
  look(runId: string): Promise<void>;
}

const TIMEOUT_MS = 20_000;

/** Why nothing more is told of a task. */
type PushEnd = 'ended' | 'gone' | 'failed' | 'not_allowed' | 'key_deleted' | 'account_inactive';

/** Both spellings of the SDKs; `token` also signs, so that a receiver can hold the body against it. */
const headersOf = (
  row: A2aPushConfigRow,
  { token, credentials }: { token: string; credentials: string },
): Record<string, string> => ({
  ...(row.auth_scheme === null ? {} : { authorization: `${row.auth_scheme} ${credentials}` }),
  ...(token === '' ? {} : { 'x-a2a-notification-token': token, 'a2a-notification-token': token }),
});

const signingSecrets = (token: string): string[] =>
  token === '' ? [] : [`whsec_${Buffer.from(token, 'utf8').toString('base64')}`];

export const createPushDeliverer = (options: PushDeliverOptions): JobHandler<PushPayload> => {
  const { db, clock } = options;

  const end = (row: A2aPushConfigRow, reason: PushEnd): Promise<void> =>
    db.write(async (tx) => {
      const changes = { due: null, end_reason: reason, finished_at: clock.now() };
      if (!(await changeConfig(tx, row, changes))) return;
      await options.audit.append(tx, {
        tenantId: row.tenant_id,
        actorId: null,
        actorType: 'system',
        action: 'a2a.push_ended',
        targetType: 'run',
        targetId: row.run_id,
        details: { config_id: row.config_id, reason },
      });
    });

  const turnOf = async (caller: Caller, row: A2aPushConfigRow): Promise<Turn | null> => {
    if (!caller.permissions.has('conversations:read')) return null;
    try {
      return await options.chat.turn(caller, row.run_id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  };

  const send = async (row: A2aPushConfigRow, turn: Turn, signal: AbortSignal): Promise<AttemptVerdict> => {
    const secrets = openSecrets(options.box, row);
    const { body, contentType } = notificationOf(turn, row.protocol);
    const { response, error } = await attemptDelivery({
      http: options.http,
      url: row.url,
      deliveryId: `${row.id}-${row.told_count + 1}-${turn.run.status}`,
      requestId: null,
      body,
      contentType,
      secrets: signingSecrets(secrets.token),
      secretHeaders: headersOf(row, secrets),
      now: clock.now(),
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    return response === null || error !== null
      ? { outcome: 'retry', reason: error ?? 'no answer', retryAfterMs: null }
      : verdictOf(response.status, response.headers['retry-after'] ?? null, clock.now());
  };

  const arrived = async (row: A2aPushConfigRow, { run }: Turn): Promise<void> => {
    const ended = isTerminal(run.status);
    await db.write((tx) =>
      changeConfig(tx, row, {
        told: run.status,
        told_count: row.told_count + 1,
        attempts: 0,
        due: null,
        ...(ended ? { end_reason: 'ended', finished_at: clock.now() } : {}),
      }),
    );
    if (!ended) await options.look(row.run_id);
  };

  /** By the schedule of webhooks; the next attempt tells how the task stands by then. */
  const again = async (row: A2aPushConfigRow, verdict: AttemptVerdict): Promise<void> => {
    const attempts = row.attempts + 1;
    const state = afterAttempt(verdict, attempts, clock.now());
    if (state.status !== 'pending') return end(row, verdict.outcome === 'gone' ? 'gone' : 'failed');
    const due = state.next_attempt_at;
    await db.write(async (tx) => {
      if (!(await changeConfig(tx, row, { attempts, due }))) return;
      await options.jobs.enqueue(
        tx,
        pushKind,
        { v: 1, config_id: row.id, tenant_id: row.tenant_id, due },
        { group: row.user_id, runAt: due },
      );
    });
  };

  return {
    async run(payload, { signal }) {
      const row = await findConfig(db.read, payload.config_id);
      // Deleted with its task or by its client, ended, or told by an earlier run of this job that could not report.
      if (row === undefined || row.finished_at !== null || row.due !== payload.due) return;
      const credential = readCredential(row.credential);
      const actor = await options.actorFor(row.tenant_id, row.user_id, credential, db.read);
      if (actor === 'tenant_suspended')
        return again(row, { outcome: 'retry', reason: 'the tenant is suspended', retryAfterMs: null });
      if (typeof actor === 'string') return end(row, actor);
      const turn = await turnOf(actor, row);
      if (turn === null) return end(row, 'not_allowed');
      const { status } = turn.run;
      if (status === row.told) {
        await db.write((tx) => changeConfig(tx, row, { due: null, attempts: 0 }));
        return options.look(row.run_id);
      }
      const verdict = await send(row, turn, signal);
      return verdict.outcome === 'delivered' ? arrived(row, turn) : again(row, verdict);
    },
  };
};
