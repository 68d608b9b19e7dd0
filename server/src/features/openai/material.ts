import type { ModelMessage } from '../../kernel/model.ts';
import { type ClientTools, type HistoryTurn, withoutSpecialTokens } from '../chat/index.ts';

/** What a client's program says of its tools and of their results: text of others, which can begin no turn. */
export const materialOf = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.map((message) => ({ ...message, content: withoutSpecialTokens(message.content) }));

export const materialTurn = (turn: HistoryTurn): HistoryTurn =>
  turn.before === undefined ? turn : { ...turn, before: materialOf(turn.before) };

export const materialTools = (client: ClientTools): ClientTools => ({
  ...client,
  tools: client.tools.map((tool) => ({ ...tool, description: withoutSpecialTokens(tool.description) })),
});
