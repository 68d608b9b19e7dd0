import { estimateTokens, fileNamesIn, noSuchFile } from 'pentarch-prose';
import { describeNoAnswer, extractAnswer } from './extract.ts';
import { nearestMemory, withoutContained } from './nearest-memory.ts';
import { contextOf, pickTool } from './pick-tool.ts';
import {
  type BuiltinModel,
  type ModelMessage,
  type ModelRequest,
  type ModelResult,
  type ModelToolCall,
  NoAnswer,
} from './port.ts';
import { cannotConverse, confirmNoted, smallTalk, tellAbilities } from './smalltalk.ts';
import { CannotFill, structuredAnswer } from './structured.ts';
import { tellResult } from './tell-result.ts';

const WORDS_PER_DELTA = 4;
const TOOL_RESULT_MAX_UNITS = 4_000;

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

interface Reply {
  content: string;
  toolCalls: ModelToolCall[];
}

/**
 * The model that answers when no other is set: it quotes the passages in `request.grounding`, or what is
 * remembered, and calls tools that a written rule finds
 * in a message (`pick-tool.ts`). Structured output has what it quotes (`structured.ts`); without anything to quote from it is
 * refused (`NoAnswer`), since it would be made up, and callers then follow their written rules.
 */
export function createBuiltinModel(now: () => number): BuiltinModel {
  return {
    async generate(request) {
      return result(request, answer(request, now));
    },
    async stream(request, onText) {
      const final = result(request, answer(request, now));
      let sent = '';
      for (const group of wordGroups(final.content)) {
        if (request.signal.aborted) {
          const partial = result(request, { content: sent, toolCalls: [] });
          throw aborted(request.signal, { content: sent, usage: partial.usage });
        }
        sent += group;
        onText(group);
        // Others get their turn between two deltas, and a cancellation comes through.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return final;
    },
  };
}

const aborted = (signal: AbortSignal, partial?: NoAnswer['partial']): NoAnswer =>
  new NoAnswer('aborted', 'the answer was cancelled', { cause: signal.reason, partial });

/** The form of the answer; where only a form is asked for, the callers have written rules of their own instead. */
function answer(asked: ModelRequest, now: () => number): Reply {
  const reply = plainAnswer(asked, now);
  if (asked.responseSchema === undefined || reply.toolCalls.length > 0) return reply;
  try {
    return text(structuredAnswer(asked.responseSchema.schema, reply.content));
  } catch (error) {
    if (!(error instanceof CannotFill)) throw error;
    throw new NoAnswer('refused', error.message, { cause: error });
  }
}

function plainAnswer(asked: ModelRequest, now: () => number): Reply {
  const request: ModelRequest = asked.toolChoice === 'none' ? { ...asked, tools: [] } : asked;
  if (request.signal.aborted) throw aborted(request.signal);
  if (request.responseSchema && request.grounding === undefined) {
    throw new NoAnswer('refused', 'the built-in model gives no structured output');
  }
  const last = request.messages.findLast((m) => m.role !== 'system');
  const said = request.messages.filter((m) => m.role === 'user').map((m) => m.content);
  const { grounding } = request;
  const message = grounding?.question ?? said.at(-1) ?? '';
  if (last?.role === 'tool' && last.name === 'list_abilities' && !/^Error: /.test(last.content))
    return text(tellAbilities(message, last.content));
  if (last?.role === 'tool') return text(afterTool(last, message, said.slice(0, -1), grounding));
  const call = namedTool(message, request);
  if (call) return { content: '', toolCalls: [call] };
  const system = request.messages.find((m) => m.role === 'system')?.content ?? '';
  const pick = pickTool(message, request.tools ?? [], contextOf(system, now()));
  if (pick !== null && 'ask' in pick) return text(pick.ask);
  const picked: Reply | null =
    pick === null
      ? null
      : {
          content: '',
          toolCalls: [
            {
              id: `call_${request.messages.length}`,
              name: pick.tool,
              arguments: JSON.stringify(pick.args),
            },
          ],
        };
  if (picked !== null && pick !== null && !pick.weak) return picked;
  const talk = smallTalk(message);
  if (talk) return text(talk);
  const noted = grounding?.noted ?? [];
  if (picked === null && noted.length > 0) return text(confirmNoted(message, noted));
  const earlier = said.slice(0, -1);
  const remembered = fromMemory(message, earlier, grounding?.memories ?? []);
  const passages = grounding?.passages ?? null;
  if (passages === null) return picked ?? text(remembered ?? cannotConverse(message));
  const extract = extractAnswer(message, earlier, passages);
  if (extract === null && picked !== null) return picked;
  const [file] = passages.length === 0 ? fileNamesIn(message) : [];
  return text(
    extract?.content ?? remembered ?? (file === undefined ? describeNoAnswer(passages) : noSuchFile(file)),
  );
}

const text = (content: string): Reply => ({ content, toolCalls: [] });

/** A remembered fact that answers; memories are told, not cited. */
function fromMemory(message: string, earlier: readonly string[], memories: readonly string[]): string | null {
  if (memories.length === 0) return null;
  const facts = withoutContained(memories).map((fact, i) => ({
    n: i + 1,
    title: '',
    page: null,
    text: fact,
    score: 1,
  }));
  const extract = extractAnswer(message, earlier, facts);
  const told = extract?.content.replaceAll(/ ?\[\d+\]/g, '') ?? nearestMemory(message, memories);
  return told === null ? null : `From what I remember: ${told}`;
}

/** What a tool brought, in words; passages that a search found are read for the answer. */
function afterTool(
  message: ToolMessage,
  question: string,
  earlier: readonly string[],
  grounding: ModelRequest['grounding'],
): string {
  const passages = grounding?.passages ?? [];
  if (message.name === 'search_documents' && passages.length > 0) {
    return extractAnswer(question, earlier, passages)?.content ?? describeNoAnswer(passages);
  }
  return describeToolResult(message);
}

function describeToolResult(message: ToolMessage): string {
  const content = message.content.trim();
  const told = content === '' ? null : tellResult(message.name, content);
  if (told !== null) return told.slice(0, TOOL_RESULT_MAX_UNITS).toWellFormed();
  if (content === '') return `The tool ${message.name} gave no output.`;
  const shown = content.slice(0, TOOL_RESULT_MAX_UNITS).toWellFormed();
  const cut = shown.length < content.length ? ' (shortened)' : '';
  return `The tool ${message.name} answered${cut}:\n\n${shown}`;
}

/** The person names an offered tool, with its arguments as JSON or none. */
function namedTool(message: string, request: ModelRequest): ModelToolCall | null {
  const start = /^(?:please\s+)?(?:\/|(?:use|call|run)\s+(?:the\s+)?(?:tool\s+)?)`?([\w.:/-]{1,128})`?/i.exec(
    message.trimStart(),
  );
  const tool = request.tools?.find(({ name }) => name === start?.[1]);
  if (!start || !tool) return null;
  const rest = message.trim().slice(start[0].length).trim();
  const args = rest
    .replace(/^tool\b/i, '')
    .trimStart()
    .replace(/^with\b(?:\s+arguments\b)?/i, '')
    .replace(/[.!]$/, '')
    .trim();
  if (args !== '' && !(args.startsWith('{') && args.endsWith('}'))) return null;
  return { id: `call_${request.messages.length}`, name: tool.name, arguments: args || '{}' };
}

function result(request: ModelRequest, reply: Reply): ModelResult {
  let { content } = reply;
  let finishReason: ModelResult['finishReason'] = reply.toolCalls.length > 0 ? 'tool_calls' : 'stop';
  const cap = request.maxOutputTokens;
  if (cap !== undefined && estimateTokens(content) > cap) {
    content = content.slice(0, Math.max(0, cap * 4)).toWellFormed();
    while (content !== '' && estimateTokens(content) > cap) content = content.slice(0, -1);
    finishReason = 'length';
  }
  const calls = reply.toolCalls.map((call) => call.name + call.arguments).join('');
  return {
    content,
    toolCalls: reply.toolCalls,
    finishReason,
    model: request.model,
    usage: {
      inputTokens: request.messages.reduce((sum, m) => sum + estimateTokens(m.content) + 4, 0),
      outputTokens: estimateTokens(content + calls),
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated: true,
    },
  };
}

function wordGroups(content: string): string[] {
  const words = content.match(/^\s+|\S+\s*/g) ?? [];
  const groups: string[] = [];
  for (let at = 0; at < words.length; at += WORDS_PER_DELTA) {
    groups.push(words.slice(at, at + WORDS_PER_DELTA).join(''));
  }
  return groups;
}
