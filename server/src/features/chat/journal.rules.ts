/**
 * The events of a run (contract, section 5), and the packed form in which a finished run keeps them: text is not stored
 * twice, so a delta is the number of UTF-16 units that it took of the answer, and the first and last event are rebuilt
 * from the rows of message and run.
 */
export type RunEvent =
  | { event: 'message.delta'; agentId: string; text: string }
  | { event: RunEventName; data: unknown };

export type RunEventName =
  | 'run.started'
  | 'agent.selected'
  | 'tool.started'
  | 'tool.completed'
  | 'proposal.created'
  | 'proposal.decided'
  | 'message.completed'
  | 'error';

type Packed = ['d', string, number[]] | ['e', RunEventName, unknown] | ['c'];

export interface PackedJournal {
  v: 1;
  events: Packed[];
}

export const isDelta = (
  event: RunEvent,
): event is { event: 'message.delta'; agentId: string; text: string } => event.event === 'message.delta';

/** Packs; `message.completed` becomes a mark, since it is the stored answer itself. */
export const packJournal = (events: readonly RunEvent[]): PackedJournal => {
  const packed: Packed[] = [];
  for (const event of events) {
    if (isDelta(event)) {
      const last = packed.at(-1);
      if (last?.[0] === 'd' && last[1] === event.agentId) last[2].push(event.text.length);
      else packed.push(['d', event.agentId, [event.text.length]]);
    } else if (event.event === 'message.completed') packed.push(['c']);
    else packed.push(['e', event.event, event.data]);
  }
  return { v: 1, events: packed };
};

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
    } else if (packed[0] === 'c') events.push({ event: 'message.completed', data: completed });
    else events.push({ event: packed[1], data: packed[2] });
  }
  return events;
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
