import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Paperclip, Pencil, RotateCcw, Split, ThumbsDown, ThumbsUp } from 'lucide-react';
import type { Citation, Message, RegenerateMessageRequest } from 'pentarch-sdk';
import { lazy, type MouseEvent, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Money } from '../../components/figures.tsx';
import { AgentAvatar, Badge } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useApi } from '../../lib/api.ts';
import { useKeptText } from '../../lib/kept-text.ts';
import { AnswerMenu, type Choices } from './answer-menu.tsx';
import { ApprovalCard } from './approval-card.tsx';
import type { SentFile } from './attached.ts';
import styles from './chat.module.css';
import { QuestionEditor } from './question-editor.tsx';
import { QuestionPictures, type ShownPictures } from './question-pictures.tsx';
import { linkMarkers, markersOf, type Turn } from './thread.ts';
import { ToolCalls } from './tool-calls.tsx';

/** Where its code does not come (the network is cut), the text stands as it is. */
const loadMarkdown = () =>
  import('../../components/markdown.tsx').catch(() => ({
    default: ({ text }: { text: string }) => <p className={styles.plain}>{text}</p>,
  }));
const Markdown = lazy(loadMarkdown);

const REASONS: Readonly<Record<string, string>> = {
  length: 'cut at the length limit',
  cancelled: 'stopped',
  awaiting_approval: 'waits for approval',
  cost_exceeded: 'ended at a cost limit',
  failed: 'failed: this is not the whole answer',
  interrupted: 'interrupted: this is not the whole answer',
};

/** The API's messages begin small. */
const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const idsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** What is shown of an answer, stored or coming. */
export interface AnswerView {
  id: string;
  agents: Turn['agents'];
  text: string;
  tools: Turn['tools'];
  proposals: readonly string[];
  citations: readonly Citation[];
  costUsd: number | null;
  model: string | null;
  finishReason: string | null;
  /** Why it failed, or was interrupted. */
  fault: string | null;
  /** It is being written. */
  live: boolean;
}

export const answerOfMessage = (message: Message): AnswerView => ({
  id: message.id,
  agents: [{ agentId: message.agent_id ?? 'zeus', reason: '' }],
  text: message.content,
  tools: message.tool_calls.map((call) => ({ call, running: false })),
  proposals: idsOf(message.metadata.proposals),
  citations: message.citations,
  costUsd: message.cost_usd,
  model: textOf(message.metadata.model),
  finishReason: message.finish_reason,
  fault: message.error?.message ?? null,
  live: false,
});

export const answerOfTurn = (turn: Turn, live: boolean): AnswerView => ({
  id: turn.messageId,
  agents: turn.agents,
  text: turn.text,
  tools: turn.tools,
  proposals: turn.proposals,
  citations: turn.answer?.citations ?? [],
  costUsd: turn.answer?.cost_usd ?? null,
  model: textOf(turn.answer?.metadata.model),
  finishReason: turn.answer?.finish_reason ?? null,
  fault: null,
  live,
});

const Feedback = ({ messageId }: { messageId: string }) => {
  const api = useApi();
  const toast = useToast();
  const [comment, setComment] = useKeptText(`comment.${messageId}`);
  const [kept, keepRating] = useKeptText(`rating.${messageId}`);
  const rate = useMutation({
    mutationFn: (body: { rating: 'up' | 'down'; comment?: string }) =>
      api.conversations.rateMessage(messageId, body),
    onSuccess: (_taken, { comment: said }) => {
      if (said === undefined) return;
      setComment('');
      keepRating('');
    },
    onError: toast.failed,
  });
  // A refused comment stays to be sent again, and one that was being written stays over a reload.
  const before = kept === 'up' || kept === 'down' ? kept : undefined;
  const rating = rate.data?.rating ?? (rate.isError ? rate.variables?.rating : before);
  const isSaid = rate.isSuccess && rate.variables?.comment !== undefined;
  return (
    <>
      <IconButton
        label="Good answer"
        aria-pressed={rating === 'up'}
        icon={<ThumbsUp size={14} />}
        onClick={() => rate.mutate({ rating: 'up' })}
      />
      <IconButton
        label="Bad answer"
        aria-pressed={rating === 'down'}
        icon={<ThumbsDown size={14} />}
        onClick={() => rate.mutate({ rating: 'down' })}
      />
      {rating !== undefined && !isSaid && (
        <form
          className={styles.comment}
          onSubmit={(event) => {
            event.preventDefault();
            if (comment.trim() !== '') rate.mutate({ rating, comment: comment.trim() });
          }}
        >
          <input
            aria-label="Why? (optional; Enter sends it)"
            placeholder="Why? Enter sends it"
            maxLength={4000}
            value={comment}
            onChange={({ target }) => {
              setComment(target.value);
              keepRating(target.value === '' ? '' : rating);
            }}
          />
        </form>
      )}
      {isSaid && (
        <span className={styles.meta} role="status">
          Thank you
        </span>
      )}
    </>
  );
};

interface AnswerProps {
  answer: AnswerView;
  nameOf: (agentId: string) => string;
  onCite: (citation: Citation) => void;
  mayRate: boolean;
  /** What else is done with it; nothing while it is being written. */
  actions?: {
    versions: ReactNode;
    onAgain: ((by: RegenerateMessageRequest) => void) | null;
    onFork: (() => void) | null;
    choices: Choices;
  };
}

export const Answer = ({ answer, nameOf, onCite, mayRate, actions }: AnswerProps) => {
  const again = actions?.onAgain ?? null;
  const first = answer.agents[0]?.agentId ?? 'zeus';
  const others = answer.agents.slice(1);
  const markers = markersOf(answer.text);
  const cite = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#cite-"]') : null;
    const at = Number(link?.getAttribute('href')?.slice('#cite-'.length) ?? Number.NaN);
    const citation = answer.citations[at];
    if (citation === undefined) return;
    event.preventDefault();
    onCite(citation);
  };
  const reason = answer.finishReason === null ? undefined : REASONS[answer.finishReason];
  return (
    <article className={styles.answer} data-agent={first} aria-busy={answer.live}>
      <header className={styles.speaker}>
        <AgentAvatar id={first} name={nameOf(first)} small />
        <strong>{nameOf(first)}</strong>
        {others.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an agent may be asked twice, in an order that stays
          <span key={`${one.agentId}-${index}`} className={styles.handoff} data-agent={one.agentId}>
            → {nameOf(one.agentId)}
          </span>
        ))}
        {answer.live && <span className={styles.meta}>is answering …</span>}
      </header>
      {answer.tools.length > 0 && <ToolCalls tools={answer.tools} />}
      {/* Where they came up: before the words that were said after the decision, so that nothing moves when these come. */}
      {answer.proposals.map((id) => (
        <ApprovalCard key={id} id={id} />
      ))}
      {answer.text !== '' && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the links within are what is clicked, by keys too
        // biome-ignore lint/a11y/useKeyWithClickEvents: the same
        <div onClick={cite}>
          <Suspense fallback={<p className={styles.plain}>{answer.text}</p>}>
            <Markdown text={linkMarkers(answer.text, answer.citations.length)} />
          </Suspense>
        </div>
      )}
      {answer.citations.length > 0 && (
        <ul className={styles.citations} aria-label="Sources">
          {answer.citations.map((citation, index) => (
            <li key={citation.chunk_id}>
              <button type="button" className={styles.chip} onClick={() => onCite(citation)}>
                <span className={styles.chipNumber}>{markers[index] ?? index + 1}</span>
                {citation.title}
                {citation.page !== null && `, page ${citation.page}`}
              </button>
            </li>
          ))}
        </ul>
      )}
      {!answer.live && (
        <footer className={styles.foot}>
          {actions?.versions}
          <CopyButton text={answer.text} label="Copy answer" />
          {again !== null && (
            <IconButton label="Ask again" icon={<RotateCcw size={14} />} onClick={() => again({})} />
          )}
          {mayRate && <Feedback key={answer.id} messageId={answer.id} />}
          {actions !== undefined && <AnswerMenu {...actions} />}
          <span className={styles.meta}>
            {answer.model}
            {answer.costUsd !== null && (
              <>
                {' · '}
                <Money usd={answer.costUsd} />
              </>
            )}
          </span>
          {reason !== undefined && <Badge tone={answer.fault === null ? 'warn' : 'bad'}>{reason}</Badge>}
          {answer.fault !== null && <span className={styles.fault}>{sentence(answer.fault)}</span>}
        </footer>
      )}
    </article>
  );
};

interface QuestionProps {
  id: string;
  text: string;
  files: readonly SentFile[];
  pictures?: ShownPictures;
  /** Why no answer came. */
  fault?: string | null;
  /** Nothing can be done with one that is not stored yet. */
  actions?: {
    versions: ReactNode;
    /** It is being edited: in its place stands the editor. */
    editing: boolean;
    onEditing: ((on: boolean) => void) | null;
    onEdit: (text: string) => void;
    onRetry: (() => void) | null;
    onFork: (() => void) | null;
  };
}

export const Question = ({ id, text, files: given, pictures, fault = null, actions }: QuestionProps) => {
  const sent = given.filter(({ image }) => image !== undefined);
  const files = given.filter(({ image }) => image === undefined);
  const edit = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  const editing = actions?.editing ?? false;
  useEffect(() => {
    if (wasEditing.current && !editing) edit.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  return (
    <div className={styles.question}>
      {sent.length + (pictures?.stored.length ?? 0) > 0 && <QuestionPictures shown={pictures} sent={sent} />}
      {files.length > 0 && (
        <ul className={styles.citations} aria-label="Attached">
          {files.map(({ documentId, name }) => (
            <li key={documentId}>
              <Link to={`/knowledge/${documentId}`} className={styles.chip}>
                <Paperclip size={12} aria-hidden="true" /> {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {editing && actions !== undefined ? (
        <QuestionEditor
          key={id}
          messageId={id}
          text={text}
          onSend={actions.onEdit}
          onCancel={() => actions.onEditing?.(false)}
        />
      ) : (
        <p className={styles.bubble}>{text}</p>
      )}
      {fault !== null && (
        <p className={styles.unanswered}>
          <Badge tone="bad">no answer</Badge> <span className={styles.fault}>{sentence(fault)}</span>
        </p>
      )}
      {!editing && (
        <div className={styles.foot}>
          {actions?.versions}
          <CopyButton text={text} label="Copy message" />
          {actions?.onRetry != null && (
            <IconButton label="Ask again" icon={<RotateCcw size={14} />} onClick={actions.onRetry} />
          )}
          {actions?.onEditing != null && (
            <IconButton
              ref={edit}
              label="Edit message"
              icon={<Pencil size={14} />}
              onClick={() => actions.onEditing?.(true)}
            />
          )}
          {actions?.onFork != null && (
            <IconButton
              label="Continue from here in a new chat"
              icon={<Split size={14} />}
              onClick={actions.onFork}
            />
          )}
        </div>
      )}
    </div>
  );
};
