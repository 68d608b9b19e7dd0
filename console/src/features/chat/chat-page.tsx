// Over 500 lines: one page whose state (shown, asked, written, chosen) hangs together; what it draws is in files of its own.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, PanelLeft, Plus } from 'lucide-react';
import type { Citation, Message, RegenerateMessageRequest } from 'pentarch-sdk';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Drawer } from '../../components/dialog.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { useApi } from '../../lib/api.ts';
import { forgetText } from '../../lib/kept-text.ts';
import { useLiveEvents, useLiveRefresh } from '../../lib/live.ts';
import { useMay } from '../../lib/me.ts';
import { isTouch } from '../../lib/pointer.ts';
import { readAnew } from '../../lib/query.ts';
import { useShortcut } from '../../lib/shortcuts.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { attachmentOf } from './attached.ts';
import { branchOf } from './branch.ts';
import styles from './chat.module.css';
import { CitationDrawer } from './citation-drawer.tsx';
import { Composer, type Draft, emptyDraft, type Sending } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { titleOf } from './conversation-row.tsx';
import { FirstRun } from './first-run.tsx';
import {
  isSame,
  keepAgain,
  keepDraft,
  keepUnderway,
  readAgain,
  readDraft,
  readUnderway,
  type Underway,
  withWritten,
} from './kept.ts';
import { type Limit, limitOf } from './limits.ts';
import { Answer, answerOfTurn, Question } from './message-view.tsx';
import { Messages } from './messages.tsx';
import { joined, useConversation, useEarlier, useModels, WITH_CONVERSATION } from './queries.ts';
import { editKey } from './question-editor.tsx';
import { startedOf } from './started.ts';
import { type Taken, TemporaryChat, TemporarySwitch } from './temporary-chat.tsx';
import { useFollow } from './use-follow.ts';
import { useFoot } from './use-foot.ts';
import { useFound } from './use-found.ts';
import { type Running, useTurn } from './use-turn.ts';
import { useVersions } from './use-versions.ts';

const idOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
/** `c` is the open conversation, `m` the message of it that was looked for. */
const parse = (raw: Readonly<Record<string, unknown>>) => ({
  c: idOf(raw.c),
  m: idOf(raw.m),
  /** Who a new message is for; it goes into the composer, and out of the address. */
  agent: idOf(raw.agent),
});

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

const draftOf = ({ agentId, model, files }: Sending): Draft => ({
  agent: agentId ?? '',
  model: model ?? '',
  files: files.map(({ documentId, name, image }) => ({
    key: documentId,
    name,
    share: 1,
    documentId: image === undefined ? documentId : null,
    ...(image === undefined ? {} : { image }),
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

const StoredChat = ({ onTemporary }: { onTemporary: (taken: Taken) => void }) => {
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const mayWrite = useMay('chat:write');
  const [{ c, m, agent }, setState] = useUrlState(parse);
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
  const { running, ask, again, follow, leave } = useTurn(({ conversationId: id, runId }, asked) => {
    // Its run has begun: the server has it.
    if (underway.current !== null) keepUnderway(shown.current, null);
    underway.current = null;
    if (asked.after !== undefined) {
      if (asked.question === null && asked.after !== null) keepAgain(id, { runId, after: asked.after });
      editorDone.current();
      return;
    }
    // What was written meanwhile goes along with the conversation, which has its id now.
    if (shown.current !== id) keepDraft(shown.current, { ...emptyDraft, text: '' });
    owner.current = id;
    shown.current = id;
    setState({ c: id });
    readAnew(queryClient, ['chat']);
  });
  useLiveRefresh(['message.', 'run.'], ['chat']);
  const busy = running !== null && (running.state === 'running' || running.state === 'reconnecting');

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
  /** The question that is being edited. */
  const [editing, setEditing] = useState<string | null>(null);
  const editorDone = useRef((): void => {});
  /** Asks for the version that failed once more. */
  const lastVersion = useRef<(() => void) | null>(null);
  const versions = useVersions(c);
  const [opensAtMessage] = useState(m !== undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const zone = useRef<HTMLElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  useFoot(foot);
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
    lastVersion.current = null;
    setEditing(null);
    const next = composerOf(c);
    restored.current = next.back;
    const isEmpty = next.text === '' && next.draft.files.length === 0;
    setDraft(({ model }) => (isEmpty ? { ...emptyDraft, model } : next.draft));
    setWantsEarlier(false);
    setText(next.text);
  }, [c, leave]);
  useEffect(() => {
    if (agent === undefined) return;
    setDraft((now) => ({ ...now, agent }));
    setState({ agent: undefined });
    field.current?.focus();
  }, [agent, setState]);

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
    if (openRun === null || busy) return;
    if (current !== openRun) void follow(openRun);
  }, [openRun, current, busy, follow]);
  // Another answer to a question that has one is in no list before it is whole: a reload goes on with it.
  useEffect(() => {
    const kept = c === undefined ? null : readAgain(c);
    if (kept !== null) void follow(kept.runId, kept.after);
  }, [c, follow]);
  useLiveEvents(['run.started'], ({ payload }) => {
    const started = startedOf(payload);
    if (busy || started === null || started.conversationId !== c || started.runId === current) return;
    const question = messages.find((one) => one.id === started.questionId);
    if (question !== undefined && question.run_id !== started.runId)
      void follow(started.runId, started.questionId);
  });
  const ended = running !== null && !busy && running.after !== undefined;
  useEffect(() => {
    if (ended && c !== undefined) keepAgain(c, null);
  }, [ended, c]);

  // What is stored takes the place of what was streamed, in one drawing.
  const turn = running?.turn;
  const isStored = (id: string): boolean =>
    messages.some(
      (one) =>
        one.id === id && one.metadata.finish_reason !== 'awaiting_approval' && one.role === 'assistant',
    );
  /** It has stood in the conversation: where it does no more, another version was picked. */
  const [settled, setSettled] = useState('');
  const hasAnswer = turn !== undefined && turn.messageId !== '' && isStored(turn.messageId);
  const justSettled = hasAnswer && !busy ? turn.runId : settled;
  useEffect(() => setSettled(justSettled), [justSettled]);
  const showTurn =
    running !== null && turn !== undefined && !hasAnswer && (turn.runId === '' || turn.runId !== settled);
  /** One that failed has left the branch as it was. */
  const isVersion = running?.after !== undefined;
  const cut =
    showTurn && isVersion && running.state !== 'failed'
      ? branchOf(messages, { runId: turn.runId, after: running.after })
      : messages;
  const stored = showTurn ? cut.filter((one) => one.id !== turn.messageId) : messages;
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

  const length = `${c}:${stored.at(-1)?.id}:${stored.length}:${turn?.text.length ?? 0}:${turn?.tools.length ?? 0}`;
  const { following, follow: followEnd, hold } = useFollow(scroller, length);
  const place = useFound(scroller, m, messages, {
    isWhole: !hasEarlier && conversation.data !== undefined,
    reading: wantsEarlier && loading,
    onEarlier: () => {
      if (!wantsEarlier) setWantsEarlier(true);
      else if (!showsNothingNew) more();
    },
    onFound: () => followEnd(false),
  });

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
    focusField();
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
    lastVersion.current = null;
    setText((now) => (written === undefined || now === written ? '' : now));
    followEnd(true);
    const request = {
      message,
      ...(c === undefined ? {} : { conversation_id: c }),
      context: {
        ...(agentId === null ? {} : { agent_id: agentId }),
        // One that is no longer offered would be refused.
        ...(models.some((one) => one.id === model) && model !== null ? { model } : {}),
      },
      ...(files.length === 0 ? {} : { attachments: files.map(attachmentOf) }),
    };
    void ask(request, key);
  };
  const back = useRef(takeBack);
  const refused = useRef(toast.failed);
  useEffect(() => {
    back.current = takeBack;
    refused.current = toast.failed;
  });
  useEffect(() => {
    if (running === null || !wasRefused(running)) return;
    if (running.after !== undefined) {
      // The editor stands open with what was written; the answer that was there stays.
      const met = limitOf(running.error, Date.now());
      if (met === null) refused.current(running.error);
      else setLimit(met);
      leave();
      return;
    }
    if (underway.current === null) return;
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
    focusField();
    if (turn === undefined || turn.runId === '') return;
    api.chat.cancelRun(turn.runId).catch(toast.failed);
  };
  const openConversation = (id: string | undefined, message?: string): void => {
    setListOpen(false);
    setState({ c: id, m: message });
    followEnd(message === undefined);
    if (message === undefined) focusField();
  };
  /** On a phone its keyboard would lie over what was opened. */
  const focusField = (): void => {
    if (!isTouch()) field.current?.focus();
  };
  /** What was pressed is gone: the thread has the focus, and shows what comes. */
  const goToEnd = (): void => {
    scroller.current?.focus({ preventScroll: true });
    followEnd(true);
  };
  const regenerate = (message: Message, by: RegenerateMessageRequest): void => {
    const after = message.role === 'user' ? message.id : message.parent_id;
    if (c === undefined || after === null) return;
    setLimit(null);
    lastVersion.current = () => regenerate(message, by);
    editorDone.current = () => {};
    goToEnd();
    void again({ question: null, after }, (options) => api.chat.regenerateStream(c, message.id, by, options));
  };
  const edit = (message: Message, words: string): void => {
    if (c === undefined) return;
    setLimit(null);
    lastVersion.current = () => edit(message, words);
    editorDone.current = () => {
      forgetText(editKey(message.id));
      setEditing(null);
    };
    goToEnd();
    void again({ question: words, after: message.parent_id }, (options) =>
      api.chat.editStream(c, message.id, { message: words }, options),
    );
  };
  const fork = (message: Message): void =>
    versions.fork.mutate(message, {
      onSuccess: ({ id }) => {
        openConversation(id);
        toast.done('You are in a new conversation now; the first one stays as it is.');
      },
      onError: toast.failed,
    });
  const pick = (message: Message, index: number, place: Element | null): void => {
    if (place !== null) hold(place);
    leave();
    lastVersion.current = null;
    versions.pick.mutate({ message, index }, { onError: toast.failed });
  };
  useShortcut('/', () => field.current?.focus());
  useShortcut('Escape', () => {
    if (busy) stop();
  });
  // Behind the focus that the page's title gets after a change of page.
  useEffect(() => {
    if (isTouch() || opensAtMessage) return;
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, [opensAtMessage]);
  useShortcut('n', () => {
    if (mayWrite) openConversation(undefined);
  });
  const nameOf = (id: string): string => agents.data?.find((one) => one.id === id)?.name ?? id;
  /** What has failed and stands in no message: the version, or what was sent last. */
  const askAgain = (): void => {
    if (lastVersion.current !== null) lastVersion.current();
    else if (lastStored !== undefined) regenerate(lastStored, {});
    else if (sent.current !== null) send(sent.current);
  };
  const toldAbove = messages.some((one) => one.run_id === turn?.runId && one.error !== null);
  const archived = conversation.data?.status === 'archived';
  const closed = !mayWrite
    ? 'Your role may read but not chat. Ask an admin for the role “user”.'
    : archived
      ? 'This conversation is archived. Restore it in the list to continue.'
      : null;
  const list = <ConversationList open={c} onOpen={openConversation} />;
  /** What has been written goes along, and is kept in the browser no longer. */
  const goTemporary = (): void => {
    keepDraft(undefined, { ...emptyDraft, text: '' });
    keepUnderway(undefined, null);
    onTemporary({ text, agent: draft.agent, model: draft.model });
  };

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
        >
          {c !== undefined &&
            conversation.data === undefined &&
            !showTurn &&
            (conversation.error === null ? (
              <Skeleton height="10rem" />
            ) : (
              <ErrorState error={conversation.error} onRetry={() => void conversation.refetch()} />
            ))}
          {c === undefined && !showTurn && mayWrite && (
            <TemporarySwitch on={false} disabled={draft.files.length > 0} onChange={goTemporary} />
          )}
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
          <Messages
            messages={stored}
            found={place}
            nameOf={nameOf}
            onCite={setCitation}
            mayRate={mayWrite}
            choices={{ agents: agents.data ?? [], models }}
            does={closed === null && !busy ? { regenerate, edit, fork, pick } : null}
            editing={editing}
            onEditing={setEditing}
          />
          {asked !== null && (
            <Question
              id="asked"
              text={asked}
              files={!isVersion && sent.current?.message === asked ? sent.current.files : []}
            />
          )}
          {showTurn && (busy || (turn.text !== '' && !(isVersion && running.state === 'failed'))) && (
            <Answer answer={answerOfTurn(turn, busy)} nameOf={nameOf} onCite={setCitation} mayRate={false} />
          )}
          {running?.state === 'failed' && !toldAbove && (
            <ErrorState error={running.error} {...(wasRefused(running) ? {} : { onRetry: askAgain })} />
          )}
          {running !== null && wasRefused(running) && (
            <p role="status" className={styles.closed}>
              Your message was not taken. It stands in the field below and can be sent again.
            </p>
          )}
        </div>
        <div ref={foot} className={styles.below}>
          {!following && (
            <Button className={styles.jump} onClick={() => followEnd(true)}>
              <ArrowDown size={14} aria-hidden="true" /> Jump to latest
            </Button>
          )}
          <p
            role="status"
            className={running?.state === 'reconnecting' ? styles.reconnecting : 'visually-hidden'}
          >
            {running?.state === 'reconnecting' &&
              'The connection is lost. The answer will continue when it is back.'}
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
            temporary={{ on: false, onChange: c === undefined && !busy ? goTemporary : null }}
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

const ChatPage = () => {
  const [{ c }] = useUrlState(parse);
  const [temporary, setTemporary] = useState<Taken | null>(null);
  // Another conversation was opened, which the temporary one has asked about: it is forgotten.
  if (temporary !== null && c !== undefined) setTemporary(null);
  if (temporary === null || c !== undefined) return <StoredChat onTemporary={setTemporary} />;
  return (
    <TemporaryChat
      taken={temporary}
      onEnd={({ text, agent, model }) => {
        keepDraft(undefined, { text, agent, model, files: [] });
        setTemporary(null);
      }}
    />
  );
};

export default ChatPage;
