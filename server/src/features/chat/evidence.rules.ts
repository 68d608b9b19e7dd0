import type { CallEvidence, EvidenceKind, EvidenceSource } from '../../kernel/call-evidence.ts';
import type { ModelMessage } from '../../kernel/model.ts';
import type { NumberedPassage } from './citations.rules.ts';

/** What in a run may have led to a call: told by the words that the call's arguments share with each text of the run. */
interface RunTexts {
  /** The person's message that began the run. */
  asked: string;
  /** The task of a loop that another agent has handed on; null for the first loop. */
  handedOn: string | null;
  messages: readonly ModelMessage[];
  passages: readonly NumberedPassage[];
  memories: readonly string[];
}

const MAX_ASKED = 4_000;
const ASKED_TAIL = 1_000;
const MAX_EXCERPT = 1_200;
const MAX_SOURCES = 4;
const MAX_SCANNED = 100_000;
const MAX_WORDS = 200;
const MIN_WORD = 5;
const MAX_WHERE = 200;

const textsIn = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1));
};

/** Addresses, names, numbers and longer words of the arguments, folded; the longest first. */
const distinctiveWords = (args: Record<string, unknown>): string[] => {
  const words = textsIn(args)
    .flatMap((text) =>
      text
        .slice(0, MAX_SCANNED)
        .toLowerCase()
        .split(/[\s"'<>(),;=&?]+/),
    )
    .filter((word) => word.length >= MIN_WORD);
  return [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
};

/** Head and tail: an order is as often at the end. */
const bounded = (text: string): string =>
  text.length <= MAX_ASKED ? text : `${text.slice(0, MAX_ASKED - ASKED_TAIL)} […] ${text.slice(-ASKED_TAIL)}`;

const around = (text: string, at: number): string => {
  const from = Math.max(0, Math.min(at - MAX_EXCERPT / 2, text.length - MAX_EXCERPT));
  return text.slice(from, from + MAX_EXCERPT);
};

interface Candidate {
  kind: EvidenceKind;
  where: string;
  text: string;
}

/** The context of the request, between its marks in the message that began the loop (prompt.rules.ts). */
const dataIn = (content: string): string | undefined => {
  const from = content.indexOf('<data>\n');
  const to = content.indexOf('\n</data>', from);
  return from < 0 || to < 0 ? undefined : content.slice(from + 7, to);
};

/** The texts of a run, the newest last, without the person's own message. */
const candidatesOf = ({ handedOn, messages, passages, memories }: RunTexts): Candidate[] => {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const data = dataIn(messages[last]?.content ?? '');
  return [
    ...messages.flatMap((message, i): Candidate[] => {
      const { role, content } = message;
      if (role === 'tool')
        return [{ kind: 'tool_result', where: `result of ${message.name}`, text: content }];
      const isEarlier = i < last && role !== 'system' && content !== '';
      return isEarlier ? [{ kind: 'earlier_message', where: `earlier message, ${role}`, text: content }] : [];
    }),
    ...(data === undefined
      ? []
      : [{ kind: 'context_data' as const, where: 'context of the request', text: data }]),
    ...memories.map((text) => ({ kind: 'memory' as const, where: 'memory', text })),
    ...passages.map(({ title, page, text }) => ({
      kind: 'document' as const,
      where: `document ${title}${page === null ? '' : `, page ${page}`}`,
      text,
    })),
    ...(handedOn === null
      ? []
      : [{ kind: 'handed_on_task' as const, where: 'task that an agent has handed on', text: handedOn }]),
  ];
};

/** The texts that share most with the call; where none shares anything, the newest ones. */
export const callEvidence = (run: RunTexts, args: Record<string, unknown>): CallEvidence => {
  const words = distinctiveWords(args);
  const said = run.asked.slice(0, MAX_SCANNED).toLowerCase();
  const rated = candidatesOf(run).map((candidate) => {
    const folded = candidate.text.slice(0, MAX_SCANNED).toLowerCase();
    const shared = words.filter((word) => folded.includes(word));
    const at = folded.indexOf(shared[0] ?? '');
    const source: EvidenceSource = {
      kind: candidate.kind,
      where: candidate.where.slice(0, MAX_WHERE),
      excerpt: around(candidate.text, at),
      sharedWords: shared.length,
    };
    return source;
  });
  const sharing = rated
    .filter(({ sharedWords }) => sharedWords > 0)
    .sort((a, b) => b.sharedWords - a.sharedWords);
  return {
    v: 1,
    asked: bounded(run.asked),
    callWords: words.length,
    saidByPerson: words.filter((word) => said.includes(word)).length,
    sources: (sharing.length > 0 ? sharing : rated.toReversed()).slice(0, MAX_SOURCES),
  };
};
