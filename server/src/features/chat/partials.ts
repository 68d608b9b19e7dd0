import type { Queryable, Tx } from '../../db/db.ts';
import type { MessageRow, RunRow } from '../../db/tables/chat.ts';
import type { AppError } from '../../kernel/errors.ts';
import type { ModelRef } from '../../kernel/model.ts';
import { addNano, type NanoUsd } from '../../kernel/money.ts';
import { ACTIVE, brokenReason, INACTIVE, type Usage } from '../conversations/index.ts';
import type { Costs } from '../costs/index.ts';
import type { Models } from '../models/index.ts';
import { FIRST_PARTIAL, leftCalls, PARTIAL, partialRow } from './partials.rules.ts';
import { runIdOf } from './run/loop.ts';
import { entryOf } from './run/model-call.ts';
import type { RunDeps, RunLoop } from './run/run.ts';
import { finishConversation, insertMessage, insertStep, replaceAnswer } from './store.ts';
import { addUsage } from './usage.rules.ts';
import { metadataText } from './wire.ts';

type LeftCall = ReturnType<typeof leftCalls>[number];

/** How often the text of a live answer is stored; one that is shorter costs nothing. */
const EVERY_MS = 1_000;
/** Those of all live answers fall into the same few moments of a second, so that one commit takes what is due in one. */
const MOMENT_MS = 250;
const untilNext = (): number => EVERY_MS - (performance.now() % MOMENT_MS);

/** Keeps what comes of the call that now begins, until `stop`, which resolves when no more of it is being written. */
export const keepPartial = (
  { store, clock }: Pick<RunDeps, 'store' | 'clock'>,
  run: RunLoop,
  promptTokens: () => number,
): { stop(): Promise<void> } => {
  const { plan, state, result } = run;
  const { hold } = result.open;
  const runId = runIdOf(run);
  if (hold === null || runId === '' || run.context.temporary === true)
    return { stop: () => Promise.resolve() };
  const { record } = plan;
  const before = state.content.length;
  const { costNano, usage } = state;
  let kind: string | null = null;
  let written = 0;
  let writing: Promise<void> | null = null;
  const callOf = (): LeftCall['call'] => ({
    own: record !== null,
    model: plan.model,
    hold,
    promptTokens: promptTokens(),
    before,
    costNano,
    usage,
    title: record?.title ?? '',
    agentIds: [...new Set([...(record?.agentIds ?? []), plan.agent.definition.id])],
  });
  const keep = async (): Promise<void> => {
    const upto = state.content.length;
    if (kind !== null && upto === written) return;
    const n = FIRST_PARTIAL + plan.spending.kept;
    plan.spending.kept += 1;
    const payload = partialRow(state.content.slice(written, upto), kind === null ? callOf() : null);
    const row = { run_id: runId, n, kind: kind ?? `${PARTIAL}/${n}`, payload };
    await store.write(
      async (tx) => {
        await store.hold(tx, runId);
        await insertStep(tx, { ...row, created_at: clock.now() });
      },
      { repeatable: true, deferred: true },
    );
    kind = row.kind;
    result.open.kept = kind;
    written = upto;
  };
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(() => {
      // A store that is away takes it a second later, with what has come by then; the run itself waits for it at its end.
      writing ??= keep()
        .catch(() => {})
        .finally(() => {
          writing = null;
        });
      wait();
    }, untilNext());
    timer.unref();
  };
  wait();
  return {
    async stop() {
      clearTimeout(timer);
      await writing;
    },
  };
};

/** With the write that settles the call. */
export const dropKept = async (tx: Queryable, runId: string, kept: string | null): Promise<void> => {
  if (kept === null) return;
  await tx.deleteFrom('run_steps').where('run_id', '=', runId).where('kind', '=', kept).execute();
};

interface BookDeps {
  models: Pick<Models, 'cost'>;
  costs: Pick<Costs, 'settle'>;
}

interface Left {
  costNano: NanoUsd;
  calls: readonly LeftCall[];
  /** The run's own call, whose text a person has read. */
  own: LeftCall | null;
}

/** Books what the calls have used that a killed process has left, and takes their rows away. */
export const bookLeft = async ({ models, costs }: BookDeps, tx: Tx, runId: string): Promise<Left> => {
  const rows = await tx
    .selectFrom('run_steps')
    .select(['kind', 'payload'])
    .where('run_id', '=', runId)
    .where('n', '>=', FIRST_PARTIAL)
    .orderBy('n')
    .execute();
  if (rows.length === 0) return { costNano: 0, calls: [], own: null };
  const calls = leftCalls(rows);
  let costNano = 0;
  for (const { call, usage } of calls) {
    const cost = models.cost(call.model, usage).costNanoUsd;
    costNano = addNano(costNano, cost);
    await costs.settle(tx, call.hold, [entryOf(call.model, usage, cost, true)]);
  }
  await tx.deleteFrom('run_steps').where('run_id', '=', runId).where('n', '>=', FIRST_PARTIAL).execute();
  return { costNano, calls, own: calls.find(({ call }) => call.own) ?? null };
};

interface BrokenAnswer {
  run: Pick<
    RunRow,
    'id' | 'tenant_id' | 'user_id' | 'conversation_id' | 'message_id' | 'question_id' | 'agent_id'
  >;
  content: string;
  model: ModelRef;
  error: AppError;
  usage: Usage;
  costNano: NanoUsd;
  title: string;
  agentIds: readonly string[];
  now: number;
}

/** Stores what had come of an answer, if anything had, with the run's costs at its conversation. */
export const storeBroken = async (tx: Queryable, broken: BrokenAnswer): Promise<void> => {
  const { run, model, content, costNano, error, now } = broken;
  const metadata = metadataText({
    model: model.id,
    built_in: model.provider === 'builtin',
    finish_reason: brokenReason(error),
    proposals: [],
    failed: true,
  });
  const question = await tx
    .selectFrom('messages')
    .select(['created_at', 'active'])
    .where('id', '=', run.question_id)
    .executeTakeFirst();
  // A second answer that broke off leaves the first one where people see it.
  const sibling = await tx
    .selectFrom('messages')
    .select('id')
    .where('parent_id', '=', run.question_id)
    .where('id', '<>', run.message_id)
    .where('active', '>', INACTIVE)
    .executeTakeFirst();
  const row: MessageRow = {
    id: run.message_id,
    tenant_id: run.tenant_id,
    user_id: run.user_id,
    conversation_id: run.conversation_id,
    role: 'assistant',
    content,
    agent_id: run.agent_id,
    tool_calls: null,
    citations: null,
    usage: JSON.stringify(broken.usage),
    metadata,
    cost_nano: costNano,
    run_id: run.id,
    parent_id: question === undefined ? null : run.question_id,
    active: sibling === undefined ? (question?.active ?? ACTIVE) : INACTIVE,
    // Behind its question, wherever the clock has been set meanwhile.
    created_at: Math.max(now, (question?.created_at ?? 0) + 1),
    attachments: null,
  };
  const answers = content.trim() !== '';
  const earlier = await tx
    .selectFrom('messages')
    .select(['cost_nano', 'tool_calls', 'citations'])
    .where('id', '=', row.id)
    .executeTakeFirst();
  if (answers && earlier === undefined) await insertMessage(tx, row);
  else if (answers && earlier !== undefined)
    await replaceAnswer(tx, { ...row, ...earlier, cost_nano: costNano });
  await finishConversation(tx, {
    id: run.conversation_id,
    added_messages: answers && earlier === undefined ? 1 : 0,
    added_cost: costNano - (earlier?.cost_nano ?? 0),
    agent_ids: JSON.stringify(broken.agentIds),
    title: broken.title,
    now,
  });
};

/** For a run that a killed process has left without a finished step: what its row says of its end. */
export const breakOff = async (
  deps: BookDeps,
  tx: Tx,
  row: RunRow,
  error: AppError,
  now: number,
): Promise<Partial<Pick<RunRow, 'usage' | 'cost_nano'>>> => {
  const left = await bookLeft(deps, tx, row.id);
  const first = left.own ?? left.calls[0];
  if (first === undefined) return {};
  const usage = left.calls.reduce((sum, one) => addUsage(sum, one.usage), first.call.usage);
  const costNano = addNano(first.call.costNano, left.costNano);
  const { title, agentIds, model } = first.call;
  const content = left.own?.content ?? '';
  const broken = { run: row, content, model, error, usage, costNano, title, agentIds, now };
  await storeBroken(tx, broken);
  return { usage: JSON.stringify(usage), cost_nano: costNano };
};
