import type { MessageRow } from '../../db/tables/chat.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { StoredCredential } from '../../kernel/stored-credential.ts';
import type { GivenInput } from './request.ts';
import type { ChatRequest } from './schema.ts';

/**
 * What a queued run's row keeps of its request, beside its question, for whichever process lets it begin. The first fields
 * are those of every run's row.
 */
interface StoredRequest {
  v: 1;
  context: Record<string, unknown>;
  streaming: boolean;
  queued: {
    requestId: string;
    given: QueuedInput;
    parent?: string | null;
    /** What the credential allowed that asked, for nodes of the release before. */
    permissions: string[];
  };
}

/** History and metadata are for new conversations alone, and a message that waits is in one that exists. */
type QueuedInput = Omit<GivenInput, 'history' | 'metadata'>;

export const storedRequestOf = (
  caller: Caller,
  { context, parent_message_id: parent }: Pick<ChatRequest, 'context' | 'parent_message_id'>,
  how: { requestId: string; streaming: boolean; given?: GivenInput | undefined },
): StoredRequest => {
  const { history: _history, metadata: _metadata, ...given } = how.given ?? {};
  return {
    v: 1,
    context: context ?? {},
    streaming: how.streaming,
    queued: {
      requestId: how.requestId,
      given,
      ...(parent === undefined ? {} : { parent }),
      permissions: [...caller.permissions].sort(),
    },
  };
};

/** Of a run that an earlier release has queued: its request alone says what its credential allowed. */
export const earlierCredential = ({ queued }: StoredRequest): StoredCredential => ({
  v: 1,
  kind: 'jwt',
  keyId: null,
  whole: false,
  permissions: queued.permissions,
  added: [],
});

/**
 * Questions with their answers that were taken back while they waited, in order: their place is before the message whose turn
 * has come, as far as they stood before it (`next`: null where it has not waited).
 */
export const takenBackBefore = (
  queued: readonly Pick<MessageRow, 'id' | 'run_id' | 'role'>[],
  next: { questionId: string } | null,
): readonly { id: string }[] => {
  const answered = new Set(queued.flatMap(({ role, run_id }) => (role === 'assistant' ? [run_id] : [])));
  const own = next === null ? queued.length : queued.findIndex(({ id }) => id === next.questionId);
  return queued.slice(0, own === -1 ? queued.length : own).filter(({ run_id }) => answered.has(run_id));
};
