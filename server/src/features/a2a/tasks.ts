import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import { type ChatResponse, isDelta, type RunEvent, type RunStatus, type Turn } from '../chat/index.ts';

/**
 * Runs as tasks: a task is one run, its context is the conversation, its one artifact is the answer. A run that waits for a
 * decision is `auth required`: somebody has to allow it elsewhere, and it goes on by itself.
 */
const STATES: Readonly<Record<RunStatus, TaskState>> = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  awaiting_approval: TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
  cost_exceeded: TaskState.TASK_STATE_FAILED,
};

/** The run's states behind a task's state; undefined for one that no run has. */
export const statusesOf = (state: TaskState): RunStatus[] =>
  (Object.keys(STATES) as RunStatus[]).filter((status) => STATES[status] === state);

export const isTerminal = (status: RunStatus): boolean =>
  !['queued', 'running', 'awaiting_approval'].includes(status);

const textPart = (text: string): Part => ({
  content: { $case: 'text', value: text },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

const messageOf = (
  ids: { messageId: string; contextId: string; taskId: string },
  role: Role,
  text: string,
): Message => ({
  ...ids,
  role,
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const factsOf = (answer: ChatResponse): Record<string, unknown> => ({
  agent_id: answer.agent_id,
  finish_reason: answer.finish_reason,
  usage: answer.usage,
  cost_usd: answer.cost_usd,
  citations: answer.citations,
  tool_calls: answer.tool_calls,
  proposals: answer.proposals,
});

const artifactOf = (answer: ChatResponse): Artifact => ({
  artifactId: answer.id,
  name: 'answer',
  description: '',
  parts: [textPart(answer.content)],
  metadata: factsOf(answer),
  extensions: [],
});

const waitingText = (proposals: readonly string[]): string =>
  `Waiting for approval of ${proposals.length === 1 ? 'the proposal' : 'the proposals'} ${proposals.join(', ')}.`;

const statusText = ({ run, answer }: Turn): string | null => {
  if (run.status === 'awaiting_approval') return waitingText(answer?.proposals ?? []);
  return run.error?.message ?? null;
};

/** `historyLength` as the protocol has it: absent: all, 0: none. */
export const taskOf = (turn: Turn, historyLength: number | undefined): Task => {
  const { run, question, answer } = turn;
  const ids = { contextId: run.conversation_id, taskId: run.id };
  const text = statusText(turn);
  const history =
    question === null
      ? []
      : [messageOf({ ...ids, messageId: question.id }, Role.ROLE_USER, question.content)];
  return {
    id: run.id,
    contextId: run.conversation_id,
    status: {
      state: STATES[run.status],
      message:
        text === null
          ? undefined
          : messageOf({ ...ids, messageId: `${run.id}:status` }, Role.ROLE_AGENT, text),
      timestamp: run.finished_at ?? run.created_at,
    },
    artifacts: answer === null || answer.content === '' ? [] : [artifactOf(answer)],
    history: historyLength === undefined ? history : historyLength === 0 ? [] : history.slice(-historyLength),
    metadata: { agent_ids: run.agent_ids, cost_usd: run.cost_usd, usage: run.usage },
  };
};

export interface StreamIds {
  runId: string;
  conversationId: string;
  messageId: string;
}

/** Events of a run as updates of its task. */
export const createUpdates = (ids: StreamIds, now: () => string) => {
  const task = { taskId: ids.runId, contextId: ids.conversationId };
  let begun = false;
  const status = (
    state: TaskState,
    text: string | null,
    metadata?: Record<string, unknown>,
  ): StreamResponse => ({
    payload: {
      $case: 'statusUpdate',
      value: {
        ...task,
        status: {
          state,
          message:
            text === null
              ? undefined
              : messageOf({ ...task, messageId: `${ids.runId}:status` }, Role.ROLE_AGENT, text),
          timestamp: now(),
        },
        metadata,
      },
    },
  });
  const artifact = (parts: Part[], last: boolean, metadata?: Record<string, unknown>): StreamResponse => {
    const append = begun;
    begun = true;
    return {
      payload: {
        $case: 'artifactUpdate',
        value: {
          ...task,
          artifact: {
            artifactId: ids.messageId,
            name: 'answer',
            description: '',
            parts,
            metadata,
            extensions: [],
          },
          append,
          lastChunk: last,
          metadata: undefined,
        },
      },
    };
  };

  return (event: RunEvent): StreamResponse[] => {
    if (isDelta(event)) return [artifact([textPart(event.text)], false)];
    const { data } = event;
    switch (event.event) {
      case 'agent.selected':
      case 'tool.started':
      case 'tool.completed':
        return [status(TaskState.TASK_STATE_WORKING, null, { event: event.event, data })];
      case 'proposal.created': {
        const id = typeof data === 'object' && data !== null && 'id' in data ? String(data.id) : '';
        return [status(TaskState.TASK_STATE_AUTH_REQUIRED, waitingText([id]), { event: event.event, data })];
      }
      case 'proposal.decided':
        return [status(TaskState.TASK_STATE_WORKING, null, { event: event.event, data })];
      case 'message.completed': {
        const answer = data as ChatResponse;
        const state =
          answer.finish_reason === 'cancelled'
            ? TaskState.TASK_STATE_CANCELED
            : TaskState.TASK_STATE_COMPLETED;
        // What was streamed is whole; the last part carries the facts and, without any delta, the text.
        const parts = begun || answer.content === '' ? [] : [textPart(answer.content)];
        return [artifact(parts, true, factsOf(answer)), status(state, null)];
      }
      case 'error': {
        const { code, message } = data as { code: string; message: string };
        return [status(TaskState.TASK_STATE_FAILED, message, { code })];
      }
      default:
        return [];
    }
  };
};
