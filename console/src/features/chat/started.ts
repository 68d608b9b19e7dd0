/** What an event `run.started` says of its run (docs/events.md). */
export interface Started {
  readonly conversationId: string;
  readonly runId: string;
  readonly questionId: string;
}

export const startedOf = (payload: unknown): Started | null => {
  if (typeof payload !== 'object' || payload === null) return null;
  const {
    conversation_id: conversationId,
    run_id: runId,
    question_id: questionId,
  } = payload as Readonly<Record<string, unknown>>;
  return typeof conversationId === 'string' && typeof runId === 'string' && typeof questionId === 'string'
    ? { conversationId, runId, questionId }
    : null;
};
