import type { ChatEvent, ChatResponse, ToolCall } from 'pentarch-sdk';

/**
 * One answer as it comes, made from the events of its run. Events carry the run and a number, so that any of them may come
 * again (a reload, a lost connection, a second reader) and the result is the same.
 */
export interface Turn {
  readonly runId: string;
  readonly conversationId: string;
  readonly messageId: string;
  /** Number of the last event taken in. */
  readonly seen: number;
  /** Who was chosen, in order: more than one is a hand-off. */
  readonly agents: readonly { readonly agentId: string; readonly reason: string }[];
  readonly text: string;
  readonly tools: readonly { readonly call: ToolCall; readonly running: boolean }[];
  readonly proposals: readonly string[];
  readonly answer: ChatResponse | null;
}

export const emptyTurn: Turn = {
  runId: '',
  conversationId: '',
  messageId: '',
  seen: 0,
  agents: [],
  text: '',
  tools: [],
  proposals: [],
  answer: null,
};

/** `<run>:<n>`; an event without a number is always taken. */
const numberOf = (id: string): number => Number(/:(\d+)$/.exec(id)?.[1] ?? Number.NaN);

const withTool = (tools: Turn['tools'], call: ToolCall, running: boolean): Turn['tools'] =>
  tools.some((one) => one.call.id === call.id)
    ? tools.map((one) => (one.call.id === call.id ? { call, running } : one))
    : [...tools, { call, running }];

const take = (turn: Turn, event: ChatEvent): Turn => {
  switch (event.event) {
    case 'run.started':
      return {
        ...turn,
        runId: event.data.run_id,
        conversationId: event.data.conversation_id,
        messageId: event.data.message_id,
      };
    case 'agent.selected':
      return {
        ...turn,
        agents: [...turn.agents, { agentId: event.data.agent_id, reason: event.data.reason }],
      };
    case 'message.delta':
      return { ...turn, text: turn.text + event.data.content };
    case 'tool.started':
      return { ...turn, tools: withTool(turn.tools, event.data, true) };
    case 'tool.completed':
      return { ...turn, tools: withTool(turn.tools, event.data, false) };
    case 'proposal.created':
    case 'proposal.decided':
      return turn.proposals.includes(event.data.id)
        ? turn
        : { ...turn, proposals: [...turn.proposals, event.data.id] };
    case 'message.completed':
      return { ...turn, answer: event.data, text: event.data.content };
    default:
      return turn;
  }
};

export const applyEvent = (turn: Turn, event: ChatEvent): Turn => {
  const n = numberOf(event.id);
  if (n <= turn.seen) return turn;
  return { ...take(turn, event), seen: Number.isNaN(n) ? turn.seen : n };
};

const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const MARKER = /\[(\d{1,3})\](?!\()/g;

/** Numbers of the markers outside of code, in order of first use: the order of the answer's citations. */
export const markersOf = (text: string): readonly number[] => {
  const prose = text.split(CODE).filter((_part, index) => index % 2 === 0);
  return [...new Set(prose.flatMap((part) => [...part.matchAll(MARKER)].map((match) => Number(match[1]))))];
};

/** Markers become links to `#cite-<index of the citation>`, which the page opens beside the text. */
export const linkMarkers = (text: string, citations: number): string => {
  const markers = markersOf(text);
  return text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(MARKER, (all, n: string) => {
            const at = markers.indexOf(Number(n));
            return at >= 0 && at < citations ? `[\\[${n}\\]](#cite-${at})` : all;
          }),
    )
    .join('');
};
