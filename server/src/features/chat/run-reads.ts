import type { RunRow } from '../../db/tables/chat.ts';
import { type Caller, ownScope, readScope } from '../../kernel/caller.ts';
import { type AppError, notFound } from '../../kernel/errors.ts';
import { runOfCallId } from './client-tools.rules.ts';
import { readHanded } from './continued.ts';
import { storedFault } from './ending.ts';
import { type Jump, jumpsOf, type RunEvent, readJournal, unpackJournal } from './journal.rules.ts';
import { isFinished } from './run-state.rules.ts';
import type { ChatResponse, Run, RunStatus } from './schema.ts';
import type { ChatStore } from './store.ts';
import { chatResponseOf, runOf } from './wire.ts';

/** A run with what was asked and what was answered. */
export interface Turn {
  run: Run;
  question: { id: string; content: string } | null;
  answer: ChatResponse | null;
}

/** What can be read of stored runs. */
export const createRunReads = (store: ChatStore) => {
  const turnOf = async (row: RunRow): Promise<Turn> => {
    const [question, answer] = await Promise.all([
      store.message(row.question_id),
      store.message(row.message_id),
    ]);
    return {
      run: runOf(row),
      question: question === undefined ? null : { id: question.id, content: question.content },
      answer: answer === undefined ? null : chatResponseOf(answer),
    };
  };

  const findRun = async (caller: Caller, id: string) => {
    const row = await store.run(readScope(caller), id);
    if (row === undefined) throw notFound('run');
    return row;
  };

  /** All events of a finished run. */
  const eventsOf = async (row: RunRow): Promise<{ events: RunEvent[]; jumps: Jump[] }> => {
    const message = await store.message(row.message_id);
    const journal = readJournal(row.journal);
    const completed = message === undefined ? null : chatResponseOf(message);
    const events = unpackJournal(journal, message?.content ?? '', completed);
    if (events.length === 0 && row.error !== null) {
      events.push({ event: 'error', data: JSON.parse(row.error) as unknown });
    }
    return { events, jumps: jumpsOf(journal) };
  };

  return {
    findRun,
    eventsOf,

    /**
     * What a run has come to, for whoever asked and lost the connection: the answer of one that has ended or waits for a
     * decision, or its failure. Null while it goes on. A run that is gone is a NOT_FOUND among the failures.
     */
    async outcome(
      caller: Caller,
      id: string,
    ): Promise<{ answer: ChatResponse } | { failed: AppError } | null> {
      const row = await store.run(ownScope(caller), id);
      if (row === undefined) return { failed: notFound('run') };
      const { status, error } = runOf(row);
      if (!isFinished(status) && status !== 'awaiting_approval') return null;
      const message = status === 'failed' ? undefined : await store.message(row.message_id);
      if (message !== undefined) return { answer: chatResponseOf(message) };
      if (status === 'awaiting_approval') return null;
      return { failed: storedFault(error, id) };
    },

    async getRun(caller: Caller, id: string): Promise<Run> {
      return runOf(await findRun(caller, id));
    },

    /** A run with its question and its answer, as far as these are stored. Throws NOT_FOUND. */
    async turn(caller: Caller, id: string): Promise<Turn> {
      return turnOf(await findRun(caller, id));
    },

    /** The caller's own runs with their turns, newest first. */
    async turns(
      caller: Caller,
      filter: { conversationId?: string; statuses?: readonly RunStatus[]; updatedAfter?: number },
      page: { limit: number; before: string | null },
    ): Promise<{ turns: Turn[]; total: number }> {
      const { rows, total } = await store.runsOf(ownScope(caller), filter, page);
      return { turns: await Promise.all(rows.map(turnOf)), total };
    },

    /** The run that has handed these calls to its client, where all of them are its and no other: see `GivenInput.continues`. */
    async handedRun(caller: Caller, callIds: readonly string[]) {
      const runId = runOfCallId(callIds[0] ?? '');
      const handed = runId === null ? null : await readHanded(store, caller, runId);
      if (runId === null || handed === null) return null;
      const { conversationId, answerId, plan } = handed;
      const same =
        handed.callIds.length === callIds.length && handed.callIds.every((id) => callIds.includes(id));
      return same ? { runId, conversationId, answerId, agentId: plan.agentId } : null;
    },
  };
};
