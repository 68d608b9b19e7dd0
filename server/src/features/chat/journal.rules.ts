/**
 * The events of a run (contract, section 5), and the packed form in which a finished run keeps them: text is not stored
 * twice, so a delta is the number of UTF-16 units that it took of the answer, and the first and last event are rebuilt
 * from the rows of message and run.
 */
export type RunEvent =
  | { event: 'message.delta'; agentId: string; text: string }
  | { event: RunEventName; data: unknown };

type RunEventName =
  | 'run.started'
  | 'agent.selected'
  | 'tool.started'
  | 'tool.completed'
  | 'proposal.created'
  | 'proposal.decided'
  | 'message.completed'
  | 'error';

/**
 * Events are numbered from 1; where some were told and then lost with their process, the numbers jump. From the event at
 * index `at` on they count from `n`.
 */
export interface Jump {
  at: number;
  n: number;
}

/** Further than any process tells events between two steps: a number that a reader may have seen is never given again. */
export const RESUME_JUMP = 1_000_000;

/** The number of the event at an index. */
export const numberAt = (index: number, jumps: readonly Jump[]): number => {
  const jump = jumps.findLast(({ at }) => at <= index);
  return jump === undefined ? index + 1 : jump.n + index - jump.at;
};

/** Index of the first of `length` events whose number is above `seen`. */
export const firstAfter = (seen: number, length: number, jumps: readonly Jump[]): number => {
  const parts = [{ at: 0, n: 1 }, ...jumps];
  const part = parts.findLastIndex(({ n }) => n <= seen + 1);
  const { at, n } = parts[part] ?? { at: 0, n: 1 };
  return Math.min(at + Math.max(0, seen + 1 - n), parts[part + 1]?.at ?? length, length);
};

type Packed = ['d', string, number[]] | ['e', RunEventName, unknown] | ['c'] | ['j', number];

interface PackedJournal {
  v: 1;
  events: Packed[];
}

export const isDelta = (
  event: RunEvent,
): event is { event: 'message.delta'; agentId: string; text: string } => event.event === 'message.delta';

/** Packs; `message.completed` becomes a mark, since it is the stored answer itself. */
export const packJournal = (events: readonly RunEvent[], jumps: readonly Jump[] = []): PackedJournal => {
  const packed: Packed[] = [];
  const jumpTo = (index: number): void => {
    for (const { at, n } of jumps) if (at === index) packed.push(['j', n]);
  };
  for (const [index, event] of events.entries()) {
    jumpTo(index);
    if (isDelta(event)) {
      const last = packed.at(-1);
      if (last?.[0] === 'd' && last[1] === event.agentId) last[2].push(event.text.length);
      else packed.push(['d', event.agentId, [event.text.length]]);
    } else if (event.event === 'message.completed') packed.push(['c']);
    else packed.push(['e', event.event, event.data]);
  }
  jumpTo(events.length);
  return { v: 1, events: packed };
};

/** As a run's row has it; null: nothing has been told of the run. */
export const readJournal = (stored: string | null): PackedJournal =>
  stored === null ? { v: 1, events: [] } : (JSON.parse(stored) as PackedJournal);

/** The events again, given the answer's text and what `message.completed` carried. */
export const unpackJournal = (journal: PackedJournal, content: string, completed: unknown): RunEvent[] => {
  const events: RunEvent[] = [];
  let at = 0;
  for (const packed of journal.events) {
    if (packed[0] === 'd') {
      for (const length of packed[2]) {
        events.push({ event: 'message.delta', agentId: packed[1], text: content.slice(at, at + length) });
        at += length;
      }
    } else if (packed[0] === 'j') continue;
    else if (packed[0] === 'c') events.push({ event: 'message.completed', data: completed });
    else events.push({ event: packed[1], data: packed[2] });
  }
  return events;
};

/** Where the numbers of the unpacked events jump. */
export const jumpsOf = (journal: PackedJournal): Jump[] => {
  const jumps: Jump[] = [];
  let at = 0;
  for (const packed of journal.events) {
    if (packed[0] === 'j') jumps.push({ at, n: packed[1] });
    else at += packed[0] === 'd' ? packed[2].length : 1;
  }
  return jumps;
};

const dataOf = (event: RunEvent): unknown =>
  isDelta(event) ? { agent_id: event.agentId, content: event.text } : event.data;

/** One SSE frame; `n` counts from 1. JSON has no raw line breaks, so one `data:` line holds it. */
export const frameOf = (runId: string, n: number, event: RunEvent, dataText?: string): string =>
  `id: ${runId}:${n}\nevent: ${event.event}\ndata: ${dataText ?? JSON.stringify(dataOf(event))}\n\n`;

/** Number of the last event that a client has seen, from its `Last-Event-ID`; 0 for another run or nothing usable. */
export const lastSeen = (runId: string, header: string | undefined): number => {
  if (header === undefined || !header.startsWith(`${runId}:`)) return 0;
  const n = Number(header.slice(runId.length + 1));
  return Number.isSafeInteger(n) && n > 0 ? n : 0;
};
