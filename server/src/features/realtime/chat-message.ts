import type { Caller } from '../../kernel/caller.ts';
import { type AppError, forbidden } from '../../kernel/errors.ts';
import { message } from './messages.ts';
import type { ChatSend, LaunchedRun } from './ports.ts';
import type { Replay } from './replay.ts';
import type { SocketWriter } from './socket-writer.ts';
import type { Subscription } from './subscription.ts';

export interface ChatMessageParts {
  writer: SocketWriter;
  replay: Replay;
  subscription: Pick<Subscription, 'addRun'>;
  chat: ChatSend;
  /** Counts a message as a request of the caller; an error when too many. */
  admit(caller: Caller): AppError | null | Promise<AppError | null>;
}

/** `chat.send` of one connection: starts runs, and sends their text as it comes. */
export interface ChatMessages {
  /** Throws what the message is refused with. */
  start(caller: Caller, id: string | null, request: Record<string, unknown>): Promise<void>;
  /** Follows no run any longer; the runs go on. */
  unfollow(): void;
}

export const createChatMessages = (parts: ChatMessageParts): ChatMessages => {
  const { writer, replay } = parts;
  const following = new Set<() => void>();

  const follow = (run: LaunchedRun): void => {
    const base = { run_id: run.runId, conversation_id: run.conversationId, message_id: run.messageId };
    let stop: (() => void) | null = null;
    const ended = (): void => {
      if (stop !== null) following.delete(stop);
    };
    stop = run.onDelta(
      ({ agentId, content }) =>
        writer.send(message('message.delta', { ...base, agent_id: agentId, content })),
      ended,
    );
    following.add(stop);
    run.done.catch(() => {
      // The event run.failed says it; the one who stores the run handles it.
    });
  };

  return {
    async start(caller, id, request) {
      if (!caller.permissions.has('chat:write')) throw forbidden('chat:write');
      const refusal = await parts.admit(caller);
      if (refusal !== null) throw refusal;
      // What the run publishes must come after chat.accepted: events wait in the log meanwhile.
      const release = replay.hold();
      try {
        const run = await parts.chat(caller, request);
        writer.send(
          message('chat.accepted', {
            ...(id === null ? {} : { id }),
            run_id: run.runId,
            conversation_id: run.conversationId,
            message_id: run.messageId,
          }),
        );
        parts.subscription.addRun(run.runId);
        release();
        if (!writer.closed) follow(run);
      } finally {
        release();
      }
    },
    unfollow() {
      for (const stop of following) stop();
      following.clear();
    },
  };
};
