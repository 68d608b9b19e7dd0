import type { MessageRow } from '../../db/tables/chat.ts';
import { FINISH_REASONS, type FinishReason, type Message } from './schema.ts';

/** How a message ended, from its own row and, where that does not say all, from the run that it belongs to. */

/** A run that ended without a whole answer. */
export interface BrokenRun {
  id: string;
  status: string;
  /** JSON of {code, message, details}. */
  error: string | null;
  /** Whether a part of the answer is stored. */
  answered: boolean;
}

export type End = Pick<Message, 'finish_reason' | 'error'>;

interface StoredError {
  code: string;
  message: string;
  details?: Record<string, unknown>;
}

const UNKNOWN: StoredError = { code: 'INTERNAL_ERROR', message: 'the run failed' };

/** Stands in the details of an error that was no fault of the run: its process ended. */
export const INTERRUPTED = { interrupted: true };

/** Runs of releases before 2.1 have the text alone. */
const isInterrupted = ({ message, details }: StoredError): boolean =>
  details?.interrupted === true || message.startsWith('the run was interrupted by a restart');

export const brokenReason = (error: StoredError | null): 'failed' | 'interrupted' =>
  error !== null && isInterrupted(error) ? 'interrupted' : 'failed';

const known = (value: unknown): FinishReason | null =>
  FINISH_REASONS.find((reason) => reason === value) ?? null;

/** Releases before 2.1 wrote `stop` into answers that had failed, and `failed` beside it. */
export const storedReason = (metadata: Readonly<Record<string, unknown>>): FinishReason | null => {
  const reason = known(metadata.finish_reason);
  return metadata.failed === true && reason !== 'interrupted' ? 'failed' : reason;
};

const WHOLE: ReadonlySet<FinishReason | null> = new Set([
  'stop',
  'length',
  'cancelled',
  'cost_exceeded',
  'tool_calls',
]);

/** Runs of these messages whose rows must be read to know how the messages ended: none, in most conversations. */
export const unsettledRuns = (rows: readonly MessageRow[]): readonly string[] => {
  const settled = new Set<string>();
  // A question that was asked again and has an answer says nothing of its first try.
  const answered = new Set(rows.map((row) => (row.role === 'assistant' ? row.parent_id : null)));
  for (const { role, run_id: id, metadata } of rows) {
    if (role !== 'assistant' || id === null) continue;
    if (WHOLE.has(storedReason(JSON.parse(metadata ?? '{}') as Record<string, unknown>))) settled.add(id);
  }
  return [
    ...new Set(
      rows.flatMap(({ id, role, run_id: run }) =>
        run === null || settled.has(run) || (role !== 'assistant' && answered.has(id)) ? [] : [run],
      ),
    ),
  ];
};

const errorOf = (text: string | null): StoredError =>
  text === null ? UNKNOWN : (JSON.parse(text) as StoredError);

/** `run` is the broken run of the message, if it has one. */
export const endOf = (
  role: string,
  metadata: Readonly<Record<string, unknown>>,
  run: BrokenRun | undefined,
): End => {
  const stored = role === 'assistant' ? storedReason(metadata) : null;
  // A part of the answer tells the end itself; else the question does.
  if (run === undefined || (role !== 'assistant' && run.answered))
    return {
      finish_reason: stored,
      error: stored === 'failed' || stored === 'interrupted' ? { ...UNKNOWN } : null,
    };
  const { code, message, details } = errorOf(run.error);
  const broken =
    run.status === 'cost_exceeded'
      ? 'cost_exceeded'
      : brokenReason({ code, message, ...(details === undefined ? {} : { details }) });
  return { finish_reason: broken, error: { code, message } };
};
