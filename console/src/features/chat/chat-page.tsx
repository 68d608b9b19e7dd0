import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, PanelLeft, Plus } from 'lucide-react';
import type { Citation, Message } from 'pentarch-sdk';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Drawer } from '../../components/dialog.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { useApi } from '../../lib/api.ts';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay } from '../../lib/me.ts';
import { useShortcut } from '../../lib/shortcuts.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { writtenOf } from './attached.ts';
import styles from './chat.module.css';
import { CitationDrawer } from './citation-drawer.tsx';
import { Composer, type Draft, emptyDraft, type Sending } from './composer.tsx';
import { ConversationList, titleOf } from './conversation-list.tsx';
import { FirstRun } from './first-run.tsx';
import {
  isSame,
  keepDraft,
  keepUnderway,
  readDraft,
  readUnderway,
  type Underway,
  withWritten,
} from './kept.ts';
import { type Limit, limitOf } from './limits.ts';
import { Answer, answerOfMessage, answerOfTurn, Question } from './message-view.tsx';
import { joined, useConversation, useEarlier, useModels, WITH_CONVERSATION } from './queries.ts';
import { type Running, useTurn } from './use-turn.ts';

const parse = (raw: Readonly<Record<string, unknown>>): { c: string | undefined } => ({
  c: typeof raw.c === 'string' ? raw.c : undefined,
});

const NEAR_PX = 80;

/** The run that has not ended: its question stands last, or its answer waits for a decision. */
const openRunOf = (messages: readonly Message[]): string | null => {
  const last = messages.at(-1);
  if (last === undefined) return null;
  const isOpen = last.role === 'user' && last.finish_reason === null;
  const waits = isOpen || last.finish_reason === 'awaiting_approval';
  return waits ? last.run_id : null;
};

/** The server did not take the message, so that no run of it has begun. */
const wasRefused = ({ state, turn }: Running): boolean => state === 'failed' && turn.runId === '';

/** As it was asked: to whom, and with which documents. */
const sendingOf = (question: Message): Sending => {
  const { agent_id: agent, model } = question.metadata;
  const { text, files } = writtenOf(question);
  return {
    message: text,
    agentId: typeof agent === 'string' ? agent : null,
    model: typeof model === 'string' ? model : null,
    files,
  };
};

const draftOf = ({ agentId, model, files }: Sending): Draft => ({
  agent: agentId ?? '',
  model: model ?? '',
  files: files.map(({ documentId, name }) => ({
    key: documentId,
    name,
    share: 1,
    documentId,
    fault: null,
    file: null,
  })),
});

/** What stands in the composer when a conversation is opened: its draft, and a message that may not have been taken. */
const composerOf = (
  conversation: string | undefined,
): { text: string; draft: Draft; back: Underway | null } => {
  const { text, ...draft } = readDraft(conversation);
  const back = readUnderway(conversation);
  if (back === null) return { text, draft, back };
  return {
    text: withWritten(back.sending.message, text),
    draft: draftOf(back.sending),
    back,
  };
};

const ChatPage = () => {
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const mayWrite = useMay('chat:write');
  const [{ c }, setState] = useUrlState(parse);
  const conversation = useConversation(c);
  const agentList = queryOptions({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => api.agents.list({ limit: 100 }, { signal }),
    meta: { what: 'the agents to choose from' },
  });
  const agents = useQuery(agentList);
  const models = useModels();
  const shown = useRef(c);
  /** Whose text stands in the composer. */
  const owner = useRef(c);
  /** What was sent and is not known to be taken. */
  const underway = useRef<Underway | null>(null);
  const { running, ask, follow, leave } = useTurn((id) => {
    // Its run has begun: the server has it.
    if (underway.current !== null) keepUnderway(shown.current, null);
    underway.current = null;
    // What was written meanwhile goes along with the conversation, which has its id now.
    if (shown.current !== id) keepDraft(shown.current, { ...emptyDraft, text: '' });
    owner.current = id;
    shown.current = id;
    setState({ c: id });
    void queryClient.invalidateQueries({ queryKey: ['chat', 'list'] });
  });
  useLiveRefresh(['message.', 'run.'], ['chat']);

  const [opened] = useState(() => composerOf(c));
  const [text, setText] = useState(opened.text);
  const [draft, setDraft] = useState(opened.draft);
  /** What was under way when this conversation was opened: sent again unchanged, it is the same message. */
  const restored = useRef(opened.back);
  const [limit, setLimit] = useState<Limit | null>(null);
  /** What was sent last: it comes back into the composer where it was not taken. */
  const sent = useRef<Sending | null>(null);
  const [wantsEarlier, setWantsEarlier] = useState(false);
  const [citation, setCitation] = useState<Citation>();
  const [listOpen, setListOpen] = useState(false);
  const [atEnd, setAtEnd] = useState(true);
  const field = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const zone = useRef<HTMLElement>(null);
  useEffect(() => {
    if (owner.current !== c) return;
    keepDraft(c, { ...draft, text });
    // It stands in the draft now.
    if (restored.current !== null && underway.current === null) keepUnderway(c, null);
  }, [c, draft, text]);

  // Another conversation was opened: its draft comes, and the answer of the one before goes on unseen.
  useEffect(() => {
    if (shown.current === c) return;
    shown.current = c;
    owner.current = c;
    underway.current = null;
    leave();
    const next = composerOf(c);
    restored.current = next.back;
    const isEmpty = next.text === '' && next.draft.files.length === 0;
    setDraft(({ model }) => (isEmpty ? { ...emptyDraft, model } : next.draft));
    setWantsEarlier(false);
    setText(next.text);
  }, [c, leave]);

  const newest = conversation.data?.messages ?? [];
  const earlier = useEarlier(c, wantsEarlier);
  const messages = wantsEarlier ? joined(earlier.messages, newest) : newest;
  const hasEarlier = newest.length >= WITH_CONVERSATION && earlier.hasMore;
  // The first pages stand in the conversation already: read on until there is something new to show.
  const { more, loading, hasMore, error: earlierError } = earlier;
  const showsNothingNew = wantsEarlier && messages.length === newest.length;
  useEffect(() => {
    if (showsNothingNew && !loading && hasMore && earlierError === null) more();
  }, [showsNothingNew, loading, hasMore, earlierError, more]);
  const openRun = openRunOf(messages);
  const current = running?.turn.runId ?? null;
  useEffect(() => {
    if (openRun === null || running?.state === 'running' || running?.state === 'reconnecting') return;
    if (current !== openRun) void follow(openRun);
  }, [openRun, current, running?.state, follow]);

  // What is stored takes the place of what was streamed, in one drawing.
  const busy = running !== null && (running.state === 'running' || running.state === 'reconnecting');
  const turn = running?.turn;
  const isStored = (id: string): boolean =>
    messages.some(
      (one) =>
        one.id === id && one.metadata.finish_reason !== 'awaiting_approval' && one.role === 'assistant',
    );
  const showTurn =
    running !== null && turn !== undefined && !(turn.messageId !== '' && isStored(turn.messageId));
  const stored = showTurn ? messages.filter((one) => one.id !== turn.messageId) : messages;
  const asked =
    showTurn &&
    running.question !== null &&
    !wasRefused(running) &&
    !stored.some((one) => one.role === 'user' && one.run_id === turn.runId)
      ? running.question
      : null;

  /** How high the thread was when earlier messages were asked for: what is read stays where it is. */
  const heightBefore = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of messages says that they have come
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null || heightBefore.current === null || showsNothingNew) return;
    box.scrollTop += box.scrollHeight - heightBefore.current;
    heightBefore.current = null;
  }, [messages.length]);

  const length = `${stored.length}:${turn?.text.length ?? 0}:${turn?.tools.length ?? 0}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `length` says that there is more to see
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box !== null && atEnd) box.scrollTop = box.scrollHeight;
  }, [length, atEnd]);

  // What grows without a new message (an approval that is read, seats that fill) is followed as well.
  useEffect(() => {
    const box = scroller.current;
    if (box === null || !atEnd) return;
    const observer = new MutationObserver(() => {
      box.scrollTop = box.scrollHeight;
    });
    observer.observe(box, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [atEnd]);

  const lastStored = messages.findLast((one) => one.role === 'user');
  /** Puts a question back into the composer, with its agent and documents, before what was written meanwhile. */
  const takeBack = (sending: Sending): void => {
    setText((written) => withWritten(sending.message, written));
    setDraft((now) => {
      const next = draftOf(sending);
      const back = new Set(sending.files.map((file) => file.documentId));
      const more = now.files.filter((one) => !back.has(one.documentId ?? ''));
      return { ...next, files: [...next.files, ...more] };
    });
    field.current?.focus();
  };
  /** What has been written since Enter was pressed, while it was looked up who is meant, stays in the field. */
  const send = (sending: Sending, written?: string): void => {
    const { message, agentId, model, files } = sending;
    sent.current = sending;
    const same = restored.current !== null && isSame(restored.current.sending, sending);
    const key = same && restored.current !== null ? restored.current.key : crypto.randomUUID();
    restored.current = null;
    underway.current = { sending, key, after: lastStored?.id ?? null };
    keepUnderway(c, underway.current);
    setLimit(null);
    setText((now) => (written === undefined || now === written ? '' : now));
    setAtEnd(true);
    const request = {
      message,
      ...(c === undefined ? {} : { conversation_id: c }),
      context: {
        ...(agentId === null ? {} : { agent_id: agentId }),
        // One that is no longer offered would be refused.
        ...(models.some((one) => one.id === model) && model !== null ? { model } : {}),
      },
      ...(files.length === 0
        ? {}
        : { attachments: files.map(({ documentId }) => ({ document_id: documentId })) }),
    };
    void ask(request, key);
  };
  const back = useRef(takeBack);
  useEffect(() => {
    back.current = takeBack;
  });
  useEffect(() => {
    if (running === null || !wasRefused(running) || underway.current === null) return;
    const { sending } = underway.current;
    underway.current = null;
    keepUnderway(shown.current, null);
    back.current(sending);
    const met = limitOf(running.error, Date.now());
    if (met === null) return;
    setLimit(met);
    leave();
  }, [running, leave]);
  // What came back may have been taken all the same: then it stands in the conversation.
  useEffect(() => {
    const kept = restored.current;
    if (kept === null || lastStored === undefined || lastStored.id === kept.after) return;
    if (lastStored.content !== kept.sending.message) return;
    restored.current = null;
    const back = kept.sending.message;
    setText((now) => (now === back ? '' : now));
    setDraft((now) => ({ ...now, files: [] }));
  }, [lastStored]);
  const endLimit = useCallback(() => setLimit(null), []);
  const stop = (): void => {
    if (turn === undefined || turn.runId === '') return;
    api.chat.cancelRun(turn.runId).catch(toast.failed);
  };
  const openConversation = (id: string | undefined): void => {
    setListOpen(false);
    setState({ c: id });
    setAtEnd(true);
    field.current?.focus();
  };
  useShortcut('/', () => field.current?.focus());
  useShortcut('n', () => {
    if (mayWrite) openConversation(undefined);
  });
  const nameOf = (id: string): string => agents.data?.find((one) => one.id === id)?.name ?? id;
  const lastQuestion =
    running?.question !== null && running !== null
      ? sent.current
      : lastStored === undefined
        ? null
        : sendingOf(lastStored);
  const toldAbove = messages.some((one) => one.run_id === turn?.runId && one.error !== null);
  const archived = conversation.data?.status === 'archived';
  const closed = !mayWrite
    ? 'Your role may read but not chat. Ask an admin for the role “user”.'
    : archived
      ? 'This conversation is archived. Restore it in the list to go on.'
      : null;
  const list = <ConversationList open={c} onOpen={openConversation} />;

  return (
    <div className={styles.page} data-fills>
      <aside className={styles.side} aria-label="Conversations">
        {list}
      </aside>
      <section ref={zone} className={styles.main} aria-label="Conversation">
        <header className={styles.head}>
          <span className={styles.onPhone}>
            <IconButton
              label="Conversations"
              icon={<PanelLeft size={16} />}
              onClick={() => setListOpen(true)}
            />
          </span>
          <h1 tabIndex={-1} data-page-title>
            {c === undefined
              ? 'New conversation'
              : conversation.data === undefined
                ? 'Conversation'
                : titleOf(conversation.data)}
          </h1>
          {mayWrite && (
            <Button onClick={() => openConversation(undefined)}>
              <Plus size={14} aria-hidden="true" /> New chat
            </Button>
          )}
        </header>
        <div
          ref={scroller}
          className={styles.thread}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys
          tabIndex={0}
          role="log"
          aria-live="off"
          aria-label="Messages"
          onScroll={({ currentTarget: box }) =>
            setAtEnd(box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX)
          }
        >
          {c !== undefined &&
            conversation.data === undefined &&
            !showTurn &&
            (conversation.error === null ? (
              <Skeleton height="10rem" />
            ) : (
              <ErrorState error={conversation.error} onRetry={() => void conversation.refetch()} />
            ))}
          {c === undefined && !showTurn && (
            <FirstRun
              onAsk={
                closed === null ? (message) => send({ message, agentId: null, model: null, files: [] }) : null
              }
            />
          )}
          {hasEarlier && (
            <div className={styles.earlier}>
              <Button
                kind="quiet"
                busy={wantsEarlier && earlier.loading}
                onClick={() => {
                  heightBefore.current = scroller.current?.scrollHeight ?? null;
                  if (wantsEarlier) earlier.more();
                  else setWantsEarlier(true);
                }}
              >
                Show earlier messages
              </Button>
            </div>
          )}
          {wantsEarlier && earlier.error !== null && (
            <ErrorState error={earlier.error} onRetry={earlier.more} />
          )}
          {stored.map((message) =>
            message.role === 'user' ? (
              <Question
                key={message.id}
                {...writtenOf(message)}
                fault={message.error?.message ?? null}
                onEdit={closed === null ? () => takeBack(sendingOf(message)) : null}
                onRetry={
                  closed === null && !busy && message.error !== null && message.id === stored.at(-1)?.id
                    ? () => send(sendingOf(message))
                    : null
                }
              />
            ) : (
              <Answer
                key={message.id}
                answer={answerOfMessage(message)}
                nameOf={nameOf}
                onCite={setCitation}
                mayRate={mayWrite}
                onRetry={
                  closed === null && !busy && lastQuestion !== null && message.id === stored.at(-1)?.id
                    ? () => send(lastQuestion)
                    : null
                }
              />
            ),
          )}
          {asked !== null && (
            <Question
              text={asked}
              files={sent.current?.message === asked ? sent.current.files : []}
              fault={null}
              onEdit={null}
              onRetry={null}
            />
          )}
          {showTurn && (busy || turn.text !== '') && (
            <Answer
              answer={answerOfTurn(turn, busy)}
              nameOf={nameOf}
              onCite={setCitation}
              onRetry={null}
              mayRate={false}
            />
          )}
          {running?.state === 'failed' && !toldAbove && (
            <ErrorState
              error={running.error}
              {...(lastQuestion === null || wasRefused(running) ? {} : { onRetry: () => send(lastQuestion) })}
            />
          )}
          {running !== null && wasRefused(running) && (
            <p role="status" className={styles.closed}>
              Your message was not taken. It stands in the field below and can be sent again.
            </p>
          )}
        </div>
        <div className={styles.below}>
          {!atEnd && (
            <Button className={styles.jump} onClick={() => setAtEnd(true)}>
              <ArrowDown size={14} aria-hidden="true" /> Jump to latest
            </Button>
          )}
          <p
            role="status"
            className={running?.state === 'reconnecting' ? styles.reconnecting : 'visually-hidden'}
          >
            {running?.state === 'reconnecting' &&
              'The connection is lost. The answer goes on when it is back.'}
            {running?.state === 'running' && 'The answer is being written.'}
            {running?.state === 'done' && 'The answer is complete.'}
          </p>
          <Composer
            field={field}
            zone={zone}
            text={text}
            onText={setText}
            agents={agents.data ?? []}
            loadAgents={() => queryClient.ensureQueryData(agentList)}
            models={models}
            running={busy}
            closed={closed}
            draft={draft}
            onDraft={setDraft}
            limit={limit}
            onLimitOver={endLimit}
            onSend={send}
            onStop={stop}
          />
        </div>
      </section>
      <Drawer open={listOpen} onClose={() => setListOpen(false)} title="Conversations">
        {list}
      </Drawer>
      <CitationDrawer citation={citation} onClose={() => setCitation(undefined)} />
    </div>
  );
};

export default ChatPage;
