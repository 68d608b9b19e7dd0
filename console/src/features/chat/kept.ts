import type { Attachment, Draft, Sending } from './composer.tsx';

/**
 * What somebody has written, kept in this tab until the run of it has begun: a reload, a lost session or a refusal loses
 * nothing. By conversation; 'new' is the one that has no id yet.
 */
export interface KeptDraft extends Draft {
  text: string;
}

/** Sent, and not known to be taken. */
export interface Underway {
  sending: Sending;
  /** The same for the same message, so that it is taken once however often it is sent. */
  key: string;
  /** The last question of the conversation before it. */
  after: string | null;
}

const draftKey = (conversation: string | undefined): string => `pentarch.draft.${conversation ?? 'new'}`;
const underwayKey = (conversation: string | undefined): string =>
  `pentarch.underway.${conversation ?? 'new'}`;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const read = (key: string): unknown => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
};

const write = (key: string, value: unknown): void => {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The tab's storage is full or closed: what is written stays on the page alone.
  }
};

const filesOf = (value: unknown): Attachment[] =>
  !Array.isArray(value)
    ? []
    : value.filter(isRecord).flatMap(({ name, documentId, key }): Attachment[] => {
        const rest = { name: textOf(name), fault: null, file: null };
        if (typeof documentId === 'string') return [{ ...rest, key: documentId, share: 1, documentId }];
        return typeof key === 'string' ? [{ ...rest, key, share: 0, documentId: null }] : [];
      });

export const readDraft = (conversation: string | undefined): KeptDraft => {
  const kept = read(draftKey(conversation));
  if (!isRecord(kept)) return { text: '', agent: '', model: '', files: [] };
  return {
    text: textOf(kept.text),
    agent: textOf(kept.agent),
    model: textOf(kept.model),
    files: filesOf(kept.files),
  };
};

/** Of a file that the server does not have yet the key: its bytes are kept elsewhere (lib/kept-files.ts). */
export const keepDraft = (
  conversation: string | undefined,
  { text, agent, model, files }: KeptDraft,
): void => {
  const isEmpty = text === '' && files.length === 0;
  write(
    draftKey(conversation),
    isEmpty
      ? null
      : {
          text,
          agent,
          model,
          files: files.map(({ name, documentId, key }) =>
            documentId === null ? { name, key } : { name, documentId },
          ),
        },
  );
};

export const keepUnderway = (conversation: string | undefined, underway: Underway | null): void =>
  write(
    underwayKey(conversation),
    underway === null
      ? null
      : {
          ...underway,
          // Megabytes would fill the tab's storage: after a reload a picture has to be chosen again.
          sending: {
            ...underway.sending,
            files: underway.sending.files.filter(({ image }) => image === undefined),
          },
        },
  );

export const readUnderway = (conversation: string | undefined): Underway | null => {
  const kept = read(underwayKey(conversation));
  if (!isRecord(kept) || !isRecord(kept.sending) || typeof kept.key !== 'string') return null;
  const { message, agentId, model, files } = kept.sending;
  if (typeof message !== 'string') return null;
  return {
    key: kept.key,
    after: typeof kept.after === 'string' ? kept.after : null,
    sending: {
      message,
      agentId: typeof agentId === 'string' ? agentId : null,
      model: typeof model === 'string' ? model : null,
      files: filesOf(files).flatMap(({ documentId, name }) =>
        documentId === null ? [] : [{ documentId, name }],
      ),
    },
  };
};

export const isSame = (one: Sending, other: Sending): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** A message that came back, and what was written meanwhile. */
export const withWritten = (back: string, written: string): string =>
  written.trim() === '' || written === back ? back : `${back}\n\n${written}`;

/** Another answer that is being written in this tab, and the question that it follows. */
interface Again {
  runId: string;
  after: string;
}

const againKey = (conversation: string): string => `pentarch.again.${conversation}`;

export const keepAgain = (conversation: string, again: Again | null): void =>
  write(againKey(conversation), again);

export const readAgain = (conversation: string): Again | null => {
  const kept = read(againKey(conversation));
  if (!isRecord(kept) || typeof kept.runId !== 'string' || typeof kept.after !== 'string') return null;
  return { runId: kept.runId, after: kept.after };
};
