import { ArrowUp, Camera, MessageCircleDashed, Paperclip, RotateCcw, Square, X } from 'lucide-react';
import type { AgentStatus, Model } from 'pentarch-sdk';
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from '../../components/button.tsx';
import { useToast } from '../../components/toast.tsx';
import { useApi } from '../../lib/api.ts';
import { faultOf, isSignedOut } from '../../lib/errors.ts';
import { forgetFiles, keepFiles, keptFile, noteUploaded } from '../../lib/kept-files.ts';
import { useMay } from '../../lib/me.ts';
import { isTouch, sendsOnEnter } from '../../lib/pointer.ts';
import { useHasEnded, useSignedIn } from '../../lib/signed-in.ts';
import type { SentFile } from './attached.ts';
import styles from './chat.module.css';
import { LimitNotice } from './limit-notice.tsx';
import { type Limit, modelName } from './limits.ts';
import { isPicture, preparePicture } from './picture.ts';
import { useLoadedModels } from './queries.ts';
import { useFileDrop } from './use-file-drop.ts';

/** Where one writes. `/athena …` speaks to one agent; files are indexed first and then go along with the message. */

export interface Sending {
  message: string;
  agentId: string | null;
  /** null: the agent's own, or the default of the server. */
  model: string | null;
  files: readonly SentFile[];
}

/** What stands in the composer beside the text. */
export interface Draft {
  /** '' leaves the choice to Zeus. */
  agent: string;
  /** '' leaves it to the server. */
  model: string;
  files: readonly Attachment[];
}
export const emptyDraft: Draft = { agent: '', model: '', files: [] };

export interface Attachment {
  key: string;
  name: string;
  share: number;
  documentId: string | null;
  /** Why it was not taken. */
  fault: string | null;
  /** What to send again then; after a reload it has to be looked up first. */
  file: File | null;
  /** The session ended before it was taken: it goes on with the next one. */
  waits?: boolean;
  /** Of a picture that is ready: a data: URL. Its bytes go with the message. */
  image?: string;
}

/** Neither taken nor refused yet. */
const isUnderWay = ({ documentId, fault, image }: Attachment): boolean =>
  documentId === null && fault === null && image === undefined;

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>;
  /** Files that are dropped anywhere in it are attached. */
  zone: RefObject<HTMLElement | null>;
  text: string;
  onText: (text: string) => void;
  agents: readonly AgentStatus[];
  /** The same, where they are not there yet. */
  loadAgents: () => Promise<readonly AgentStatus[]>;
  /** What may be chosen, the default first; a single one is no choice. */
  models: readonly Model[];
  running: boolean;
  /** Why nothing can be written here, for example in an archived conversation. */
  closed: string | null;
  draft: Draft;
  onDraft: (change: (now: Draft) => Draft) => void;
  /** Why nothing can be sent just now; the message stays. */
  limit: Limit | null;
  onLimitOver: () => void;
  /** Nothing that is said here is stored: no file goes along, which would be. null: it can no longer be chosen. */
  temporary: { on: boolean; onChange: ((on: boolean) => void) | null };
  /** `written` is what stood in the field. */
  onSend: (sending: Sending, written: string) => void;
  onStop: () => void;
}

/** Chosen before the reload, and not looked up yet. */
const isKept = (one: Attachment): boolean => isUnderWay(one) && one.file === null;
const NOT_KEPT = 'it was too much to be kept over the reload.';

const stateOf = ({ documentId, share, fault, file, waits, image }: Attachment): string => {
  if (waits === true) return 'waits for your sign-in';
  if (fault !== null)
    return `not taken: ${fault} ${file === null ? 'Choose' : 'Try'} it again, or remove it.`;
  if (documentId !== null || image !== undefined) return 'ready';
  return share < 1 ? `${Math.round(share * 100)}%` : 'indexing …';
};

export const splitCommand = (
  text: string,
  agents: readonly Pick<AgentStatus, 'id'>[],
): { agentId: string | null; message: string } => {
  const [, id = '', rest = ''] = /^\/([a-z]+)\s+([\s\S]+)$/.exec(text.trim()) ?? [];
  return agents.some((agent) => agent.id === id)
    ? { agentId: id, message: rest.trim() }
    : { agentId: null, message: text.trim() };
};

export const Composer = (props: ComposerProps) => {
  const { field, text, onText, agents, running, closed, draft, onDraft, limit, onSend, onStop } = props;
  const api = useApi();
  const toast = useToast();
  const signedIn = useSignedIn();
  const ended = useHasEnded();
  const { temporary } = props;
  const mayUpload = useMay('knowledge:write') && !temporary.on;
  const { agent, model, files } = draft;
  const setFiles = (change: (now: readonly Attachment[]) => readonly Attachment[]): void =>
    onDraft((now) => ({ ...now, files: change(now.files) }));
  // A model that cannot see reads a picture as a document, as far as there are words in it.
  const canSee = (models: ComposerProps['models']): boolean =>
    models.some((one) => one.vision && (model === '' || one.id === model));
  const sees = canSee(props.models);
  const loadedModels = useLoadedModels();
  const mayAttach = mayUpload || (sees && !temporary.on);
  const waits = limit?.kind === 'rate';
  const [marked, setMarked] = useState(0);
  const [dismissed, setDismissed] = useState('');
  const picker = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const menuId = useId();

  const typed = /^\/([a-z]*)$/.exec(text)?.[1];
  const choices =
    typed === undefined || dismissed === text
      ? []
      : agents.filter((one) => one.enabled && one.id.startsWith(typed));
  const choose = (id: string): void => {
    onText(`/${id} `);
    setMarked(0);
    field.current?.focus();
  };
  const uploading = files.some(isUnderWay);
  const failed = files.some((file) => file.fault !== null);

  const changeFile = (key: string, more: Partial<Attachment>): void =>
    setFiles((now) => now.map((one) => (one.key === key ? { ...one, ...more } : one)));
  const upload = async (key: string, file: File): Promise<void> => {
    const change = (more: Partial<Attachment>): void => changeFile(key, more);
    change({ share: 0, fault: null, file, waits: false });
    if (isPicture(file) && canSee(await loadedModels())) {
      preparePicture(file).then(
        (image) => change({ image, share: 1 }),
        (error: unknown) => change({ fault: faultOf(error).message }),
      );
      return;
    }
    api.knowledge
      .uploadDocument(file, {
        filename: file.name,
        onProgress: ({ sentBytes, totalBytes }) => change({ share: sentBytes / totalBytes }),
      })
      .then(
        (document) => {
          change({ documentId: document.id, share: 1, file: null });
          // Another conversation may be shown by now, whose draft does not hear of it.
          void noteUploaded(key, document.id);
        },
        (error: unknown) => {
          if (isSignedOut(error)) signedIn.end(error);
          change(isSignedOut(error) ? { share: 0, waits: true } : { fault: faultOf(error).message });
        },
      );
  };
  const goOn = useRef((): void => {});
  useEffect(() => {
    goOn.current = () => {
      for (const { key, file, waits } of files) if (waits === true && file !== null) void upload(key, file);
    };
  });
  useEffect(() => {
    if (!ended) goOn.current();
  }, [ended]);
  const attach = (list: Iterable<File>): void => {
    const taken = [...list].filter((file) => mayUpload || isPicture(file));
    const chosen = taken.map((file) => ({
      key: crypto.randomUUID(),
      place: 'chat' as const,
      name: file.name,
      file,
      documentId: null,
      visibility: null,
    }));
    setFiles((now) => [
      ...now,
      ...chosen.map(({ key, name, file }) => ({ key, name, share: 0, documentId: null, fault: null, file })),
    ]);
    void keepFiles(chosen).then(() => {
      for (const { key, file } of chosen) void upload(key, file);
    });
  };
  const lookedUp = useRef(new Set<string>());
  const lookUp = async (key: string): Promise<void> => {
    const kept = await keptFile(key);
    lookedUp.current.delete(key);
    if (kept?.documentId != null) changeFile(key, { documentId: kept.documentId, share: 1 });
    else if (kept?.file == null) changeFile(key, { fault: NOT_KEPT });
    else if (signedIn.ended()) changeFile(key, { file: kept.file, waits: true });
    else void upload(key, kept.file);
  };
  const lookUpAll = useRef((): void => {});
  useEffect(() => {
    lookUpAll.current = () => {
      for (const { key } of files.filter(isKept)) {
        if (lookedUp.current.has(key)) continue;
        lookedUp.current.add(key);
        void lookUp(key);
      }
    };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the files say that there may be one to look up
  useEffect(() => lookUpAll.current(), [files]);
  const remove = (key: string): void => {
    setFiles((now) => now.filter((one) => one.key !== key));
    void forgetFiles([key]);
  };

  const isOver = useFileDrop(props.zone, mayAttach && closed === null ? attach : null);

  const send = async (): Promise<void> => {
    // Who writes at once after opening the page is faster than the list of agents.
    const known = agents.length === 0 && text.trimStart().startsWith('/') ? await props.loadAgents() : agents;
    const command = splitCommand(text, known);
    if (command.message === '' || running || uploading || failed || waits || closed !== null) return;
    onSend(
      {
        message: command.message,
        agentId: command.agentId ?? (agent === '' ? null : agent),
        model: model === '' ? null : model,
        files: files.flatMap(({ key, documentId, name, image }): SentFile[] => {
          if (image !== undefined) return [{ documentId: key, name, image }];
          return documentId === null ? [] : [{ documentId, name }];
        }),
      },
      text,
    );
    setFiles(() => []);
    void forgetFiles(files.map((file) => file.key));
  };

  const submit = (): void => {
    send().catch(toast.failed);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const count = choices.length;
    if (count > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      setMarked((marked + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
      return;
    }
    const choice = choices[marked] ?? choices[0];
    if (choice !== undefined && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault();
      choose(choice.id);
      return;
    }
    if (count > 0 && event.key === 'Escape') {
      event.preventDefault();
      setDismissed(text);
      return;
    }
    if (event.key === 'Escape' && running) {
      event.preventDefault();
      onStop();
      return;
    }
    if (sendsOnEnter(event)) {
      event.preventDefault();
      submit();
    }
  };

  if (closed !== null) return <p className={styles.closed}>{closed}</p>;
  return (
    <form
      className={styles.composer}
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {isOver && <p className={styles.dropHere}>Drop the files to attach them</p>}
      {choices.length > 0 && (
        <div className={styles.slash} id={menuId} role="listbox" aria-label="Agents">
          {choices.map((one, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the marked one
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled in the field
            <div
              key={one.id}
              id={`${menuId}-${one.id}`}
              role="option"
              aria-selected={index === marked}
              onClick={() => choose(one.id)}
            >
              <code>/{one.id}</code> {one.domain.replaceAll('_', ' ')}
            </div>
          ))}
        </div>
      )}
      {limit !== null && <LimitNotice limit={limit} onOver={props.onLimitOver} />}
      {files.length > 0 && (
        <ul className={styles.citations} aria-label="Attachments">
          {files.map((file) => (
            <li key={file.key} className={styles.chip}>
              {file.image !== undefined && <img src={file.image} alt="" className={styles.thumb} />}
              {file.name}
              <span className={styles.meta} role="status">
                {stateOf(file)}
              </span>
              {file.fault !== null && file.file !== null && (
                <IconButton
                  label={`Try ${file.name} again`}
                  icon={<RotateCcw size={12} />}
                  onClick={() => {
                    if (file.file !== null) void upload(file.key, file.file);
                  }}
                />
              )}
              <IconButton
                label={`Remove ${file.name}`}
                icon={<X size={12} />}
                onClick={() => remove(file.key)}
              />
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        rows={1}
        maxLength={262_144}
        placeholder="Ask, or type / to choose an agent"
        aria-label="Message"
        aria-autocomplete="list"
        aria-controls={choices.length > 0 ? menuId : undefined}
        aria-activedescendant={choices.length > 0 ? `${menuId}-${choices[marked]?.id ?? ''}` : undefined}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (mayAttach && event.clipboardData.files.length > 0) {
            event.preventDefault();
            attach(event.clipboardData.files);
          }
        }}
      />
      <div className={styles.composerFoot}>
        <select
          aria-label="Agent"
          value={agent}
          onChange={(event) => onDraft((now) => ({ ...now, agent: event.target.value }))}
        >
          <option value="">Auto</option>
          {agents
            .filter((one) => one.enabled)
            .map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
        </select>
        {props.models.length > 1 && (
          <select
            aria-label="Model"
            value={props.models.some((one) => one.id === model) ? model : ''}
            onChange={(event) => onDraft((now) => ({ ...now, model: event.target.value }))}
          >
            {props.models.map((one) => (
              <option key={one.id} value={one.default ? '' : one.id}>
                {modelName(one)}
              </option>
            ))}
          </select>
        )}
        {sees && !temporary.on && isTouch() && (
          <>
            <input
              ref={camera}
              type="file"
              accept="image/*"
              capture="environment"
              hidden
              aria-label="Photo to attach"
              onChange={(event) => {
                attach(event.target.files ?? []);
                event.target.value = '';
              }}
            />
            <IconButton
              label="Take a photo"
              icon={<Camera size={16} />}
              onClick={() => camera.current?.click()}
            />
          </>
        )}
        {mayAttach && (
          <>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              {...(mayUpload ? {} : { accept: 'image/*' })}
              aria-label="Files to attach"
              onChange={(event) => {
                attach(event.target.files ?? []);
                event.target.value = '';
              }}
            />
            <IconButton
              label="Attach files"
              icon={<Paperclip size={16} />}
              onClick={() => picker.current?.click()}
            />
          </>
        )}
        {temporary.onChange !== null && (
          <IconButton
            label="Temporary chat"
            aria-pressed={temporary.on}
            disabled={files.length > 0}
            icon={<MessageCircleDashed size={16} />}
            onClick={() => temporary.onChange?.(!temporary.on)}
          />
        )}
        <span className={styles.spacer} />
        {running ? (
          <IconButton label="Stop" kind="normal" icon={<Square size={14} />} onClick={onStop} />
        ) : (
          <IconButton
            label="Send"
            type="submit"
            kind="primary"
            disabled={text.trim() === '' || uploading || failed || waits}
            icon={<ArrowUp size={16} />}
          />
        )}
      </div>
    </form>
  );
};
