import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { ArrowDown, PanelLeft, Plus } from 'lucide-react';
import { ApiError, type Citation, NotFoundError, ValidationError } from 'pentarch-sdk';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { ConfirmDialog, Drawer } from '../../components/dialog.tsx';
import { Switch } from '../../components/field.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { useApi } from '../../lib/api.ts';
import { isUnanswered } from '../../lib/errors.ts';
import { isTouch } from '../../lib/pointer.ts';
import { useShortcut } from '../../lib/shortcuts.ts';
import { useUrlState } from '../../lib/url-state.ts';
import styles from './chat.module.css';
import { CitationDrawer } from './citation-drawer.tsx';
import { Composer, type Draft, emptyDraft, type Sending } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { withWritten } from './kept.ts';
import { type Limit, limitOf } from './limits.ts';
import { Answer, answerOfTurn, Question } from './message-view.tsx';
import { useModels } from './queries.ts';
import { asSaid, historyOf, type Said } from './said.ts';
import { useFollow } from './use-follow.ts';
import { useFoot } from './use-foot.ts';
import { type Running, useTurn } from './use-turn.ts';

/** What is taken along from a new conversation into a temporary one, or back. */
export type Taken = Pick<Draft, 'agent' | 'model'> & { text: string };

const MEANING =
  'Nothing that is said in it is stored: it is in no list, no search and no memory, and is gone when you leave it or reload. Only what it costs is kept. The provider of the model sees it as ever, and so do tools that are called.';

interface SwitchProps {
  on: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}

export const TemporarySwitch = ({ on, disabled = false, onChange }: SwitchProps) => (
  <div className={styles.temporary}>
    <Switch
      label="Temporary chat"
      hint={
        disabled
          ? 'Remove the attached files first: files are stored.'
          : on
            ? MEANING
            : 'Stored nowhere, and gone when you leave it.'
      }
      checked={on}
      disabled={disabled}
      onChange={onChange}
    />
  </div>
);

const NOTHING_KEPT = 'Nothing of this chat is stored. If you leave it, it cannot be had back.';

/** Why no whole answer came, where the chat's own rules are the reason; null: the error speaks for itself. */
const reasonOf = (error: unknown, begun: boolean): string | null => {
  const tooLong =
    (error instanceof ValidationError && error.fields.some(({ field }) => field.startsWith('/history'))) ||
    (error instanceof ApiError && error.status === 413);
  if (tooLong) return 'This chat has become too long to continue. Copy what you need and start a new one.';
  if (begun && error instanceof NotFoundError)
    return 'The connection was lost, and the rest of the answer with it: it is kept nowhere. Ask again.';
  if (!begun && isUnanswered(error))
    return 'The server did not respond. Your message is in the field below; it may still have cost something.';
  return null;
};

const NeededApproval = ({ said }: { said: Pick<Said, 'answer'> }) =>
  said.answer?.tools.some(({ call }) => call.status === 'denied') === true && (
    <p className={styles.closed}>
      A call was not made. One that needs an approval cannot wait for it in a temporary chat: ask again in a
      chat that is stored.
    </p>
  );

interface TemporaryChatProps {
  taken: Taken;
  /** It was switched off before anything was said, or ended. */
  onEnd: (taken: Taken) => void;
}

/** A chat that this page alone knows: no storage of the browser, no address and no entry in a list holds a word of it. */
export const TemporaryChat = ({ taken, onEnd }: TemporaryChatProps) => {
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [, setState] = useUrlState(() => ({ c: undefined, m: undefined }));
  const agentList = queryOptions({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => api.agents.list({ limit: 100 }, { signal }),
    meta: { what: 'the agents to choose from' },
  });
  const agents = useQuery(agentList);
  const models = useModels();
  const { running, askOnce, leave } = useTurn(() => {});
  const [said, setSaid] = useState<readonly Said[]>([]);
  const [text, setText] = useState(taken.text);
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, agent: taken.agent, model: taken.model });
  const [limit, setLimit] = useState<Limit | null>(null);
  const [refusal, setRefusal] = useState<{ error: unknown; begun: boolean } | null>(null);
  const [citation, setCitation] = useState<Citation>();
  const [listOpen, setListOpen] = useState(false);
  const [ending, setEnding] = useState(false);
  const sent = useRef<Sending | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const zone = useRef<HTMLElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  useFoot(foot);
  const busy = running !== null && (running.state === 'running' || running.state === 'reconnecting');
  const turn = running?.turn;

  /** Takes what has ended out of the hands of the reader: the page keeps it, or the field has it back. */
  const settle = (ended: Running): void => {
    const begun = ended.turn.runId !== '';
    if (ended.state === 'done' || begun) {
      setSaid((now) => [...now, asSaid(ended)]);
      if (ended.state === 'failed') setRefusal({ error: ended.error, begun });
    } else {
      const { message, agentId, model } = sent.current ?? {
        message: ended.question ?? '',
        agentId: null,
        model: null,
      };
      setText((written) => withWritten(message, written));
      setDraft({ ...emptyDraft, agent: agentId ?? '', model: model ?? '' });
      const met = limitOf(ended.error, Date.now());
      setLimit(met);
      if (met === null) setRefusal({ error: ended.error, begun });
    }
    leave();
  };
  const settled = useRef(settle);
  useEffect(() => {
    settled.current = settle;
  });
  useEffect(() => {
    if (running !== null && (running.state === 'done' || running.state === 'failed'))
      settled.current(running);
  }, [running]);

  // Nobody could read the rest of the answer.
  const open = useRef('');
  useEffect(() => {
    open.current = busy ? (turn?.runId ?? '') : '';
  });
  useEffect(
    () => () => {
      if (open.current !== '') api.chat.cancelRun(open.current).catch(() => {});
    },
    [api],
  );

  const holds = said.length > 0 || busy || text.trim() !== '';
  const blocker = useBlocker({
    shouldBlockFn: () => holds,
    enableBeforeUnload: () => holds,
    withResolver: true,
  });
  const blocked = blocker.status === 'blocked';

  const length = `${said.length}:${turn?.text.length ?? 0}:${turn?.tools.length ?? 0}`;
  const { following, follow: followEnd } = useFollow(scroller, length);
  const focusField = (): void => {
    if (!isTouch()) field.current?.focus();
  };
  useEffect(() => {
    if (!isTouch()) field.current?.focus();
  }, []);
  const send = (sending: Sending, written?: string): void => {
    const { message, agentId, model } = sending;
    sent.current = sending;
    setLimit(null);
    setRefusal(null);
    setText((now) => (written === undefined || now === written ? '' : now));
    followEnd(true);
    const history = historyOf(said);
    void askOnce({
      message,
      ...(history.length === 0 ? {} : { history }),
      context: {
        ...(agentId === null ? {} : { agent_id: agentId }),
        ...(models.some((one) => one.id === model) && model !== null ? { model } : {}),
      },
    });
  };
  const stop = (): void => {
    focusField();
    if (turn === undefined || turn.runId === '') return;
    api.chat.cancelRun(turn.runId).catch(toast.failed);
  };
  const end = (): void => onEnd({ ...emptyDraft, text: '' });
  const askToEnd = (): void => {
    if (said.length > 0 || busy) setEnding(true);
    else end();
  };
  const switchOff = (): void => onEnd({ text, agent: draft.agent, model: draft.model });
  useShortcut('/', () => field.current?.focus());
  useShortcut('n', askToEnd);
  useShortcut('Escape', () => {
    if (busy) stop();
  });
  const nameOf = (id: string): string => agents.data?.find((one) => one.id === id)?.name ?? id;
  const isNew = said.length === 0 && running === null;
  const list = (
    <ConversationList
      open={undefined}
      onOpen={(id, message) => {
        setListOpen(false);
        setState({ c: id, m: message });
      }}
    />
  );
  const endLimit = useCallback(() => setLimit(null), []);
  const reason = refusal === null ? null : reasonOf(refusal.error, refusal.begun);

  return (
    <div className={styles.page} data-fills>
      <aside className={styles.side} aria-label="Conversations">
        {list}
      </aside>
      <section ref={zone} className={styles.main} aria-label="Conversation" data-temporary>
        <header className={styles.head}>
          <span className={styles.onPhone}>
            <IconButton
              label="Conversations"
              icon={<PanelLeft size={16} />}
              onClick={() => setListOpen(true)}
            />
          </span>
          <h1 tabIndex={-1} data-page-title>
            Temporary chat
          </h1>
          <Button onClick={askToEnd}>
            <Plus size={14} aria-hidden="true" /> New chat
          </Button>
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
          {isNew ? (
            <TemporarySwitch on onChange={switchOff} />
          ) : (
            <p className={styles.meta}>Stored nowhere: it is gone when you leave it or reload.</p>
          )}
          {said.map((one) => (
            <div key={one.key} className={styles.place}>
              <Question id={one.key} text={one.question} files={[]} />
              {one.answer !== null && (
                <Answer answer={one.answer} nameOf={nameOf} onCite={setCitation} mayRate={false} />
              )}
              <NeededApproval said={one} />
            </div>
          ))}
          {running !== null && running.question !== null && busy && (
            <Question id="asked" text={running.question} files={[]} />
          )}
          {turn !== undefined && busy && (
            <Answer answer={answerOfTurn(turn, true)} nameOf={nameOf} onCite={setCitation} mayRate={false} />
          )}
          {refusal !== null &&
            (reason === null ? (
              <ErrorState error={refusal.error} />
            ) : (
              <p role="alert" className={styles.closed}>
                {reason}
              </p>
            ))}
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
            {running === null && said.length > 0 && 'The answer is complete.'}
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
            closed={null}
            draft={draft}
            onDraft={setDraft}
            limit={limit}
            onLimitOver={endLimit}
            temporary={{ on: true, onChange: isNew ? switchOff : null }}
            onSend={send}
            onStop={stop}
          />
        </div>
      </section>
      <Drawer open={listOpen} onClose={() => setListOpen(false)} title="Conversations">
        {list}
      </Drawer>
      <CitationDrawer citation={citation} onClose={() => setCitation(undefined)} />
      <ConfirmDialog
        open={ending || blocked}
        onClose={() => {
          setEnding(false);
          blocker.reset?.();
        }}
        title="Leave the temporary chat?"
        message={NOTHING_KEPT}
        action="Leave and forget"
        onConfirm={() => {
          if (blocked) blocker.proceed();
          else end();
        }}
      />
    </div>
  );
};
