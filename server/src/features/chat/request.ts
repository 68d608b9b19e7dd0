import type { Queryable } from '../../db/db.ts';
import { invalid } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import type { ModelMessage, Sampling } from '../../kernel/model.ts';
import type { NewPicture } from '../../kernel/picture.ts';
import type { Taint } from '../../kernel/taint.ts';
import { type AnswerForm, bringsWords, unusableSchema } from './form.ts';
import type { HistoryTurn } from './history.rules.ts';
import { type ChatRequest, MAX_CONTEXT_BYTES } from './schema.ts';
import type { PlanStep } from './steps.rules.ts';
import type { ClientTools } from './tools.rules.ts';

/** What a request for a run asks for beside its message, checked and taken apart. */

/** What another protocol's request brings along that `ChatRequest` has no place for. */
export interface GivenInput {
  /** History that the client keeps by itself; for a new conversation alone. */
  history?: readonly HistoryTurn[];
  /** Shown with the message, beside those of its attachments. */
  pictures?: readonly NewPicture[];
  /** Instructions of the client program: followed below the rules of the house, and taken as untrusted content. */
  instructions?: string;
  /** Of each model call; the setting MAX_OUTPUT_TOKENS stands above it. */
  maxOutputTokens?: number;
  sampling?: Sampling;
  /** What the whole text of the answer has to be. */
  form?: AnswerForm;
  /** Tools that the client runs by itself. */
  client?: ClientTools;
  /** Calls of such tools with their results, made since the message: the model is told of them behind it. */
  exchange?: readonly ModelMessage[];
  /** In place of `exchange`: results of calls that a run of the caller has handed over, by their ids; it is gone on with. */
  continues?: { runId: string; results: Readonly<Record<string, string>> };
  /** The message itself comes from a run that held untrusted content. */
  taint?: Taint;
  /** A new conversation is not among those that lists show. */
  unlisted?: boolean;
  /** Of a new conversation. */
  metadata?: Record<string, unknown>;
}

/** How a run is asked for, by whichever API. */
export interface LaunchOptions {
  requestId: string;
  streaming: boolean;
  /** False: a busy conversation is a CONFLICT. */
  wait: boolean;
  given?: GivenInput;
  /** The question stands already and gets another answer beside the others; a busy conversation is a CONFLICT then. */
  again?: { questionId: string /** Epoch ms of the question. */; askedAt: number; parentId: string | null };
  /** Written in the transaction that accepts the message, with the id of its run. */
  accepted?: (tx: Queryable, runId: string) => Promise<void>;
}

interface ParsedContext {
  agentId: string | null;
  model: string | null;
  data: Record<string, unknown>;
}

/** `response_schema` of a request, beside what its API has read of it. Throws VALIDATION_ERROR. */
export const withForm = <T extends { given?: GivenInput }>(request: ChatRequest, how: T): T => {
  const { response_schema: schema } = request;
  if (schema === undefined) return how;
  const reason = unusableSchema(schema);
  if (reason !== null) throw invalid({ field: '/response_schema', reason });
  return { ...how, given: { ...how.given, form: { name: 'answer', schema } } };
};

const textField = (context: Record<string, unknown>, name: string): string | null => {
  const value = context[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalid({ field: `/context/${name}`, reason: 'must be text' });
  return value;
};

/** Splits `context` into its two settings and the data for the agent. */
export const parseContext = (context: Record<string, unknown> | undefined): ParsedContext => {
  if (context === undefined) return { agentId: null, model: null, data: {} };
  if (Buffer.byteLength(JSON.stringify(context)) > MAX_CONTEXT_BYTES) {
    throw invalid({ field: '/context', reason: 'must be at most 32 KiB of JSON' });
  }
  const { agent_id: _agent, model: _model, ...data } = context;
  return { agentId: textField(context, 'agent_id'), model: textField(context, 'model'), data };
};

/** Whether a client program has brought data or words of its own along: untrusted content. */
export const bringsContext = ({ data }: ParsedContext, given: GivenInput): boolean =>
  given.continues !== undefined ||
  Object.keys(data).length > 0 ||
  given.instructions !== undefined ||
  given.client !== undefined ||
  given.exchange !== undefined ||
  bringsWords(given.form);

const MAX_ATTACHED = 100;

/** Kept with the question, so that a client can ask the same again in the same way; null where nothing was chosen. */
export const addressing = ({ agentId, model, data }: ParsedContext): string | null => {
  const { attached_documents: attached } = data;
  const documents = (Array.isArray(attached) ? attached : [])
    .filter((one) => typeof one === 'string' && isUuid(one))
    .slice(0, MAX_ATTACHED);
  if (agentId === null && model === null && documents.length === 0) return null;
  return JSON.stringify({
    ...(agentId === null ? {} : { agent_id: agentId }),
    ...(model === null ? {} : { model }),
    ...(documents.length === 0 ? {} : { attached_documents: documents }),
  });
};

/** What a client has asked of the model's calls; the server's own cap is never passed. */
export const samplingOf = (given: GivenInput, capTokens: number): PlanStep['sampling'] | null => {
  const { maxOutputTokens, sampling = {} } = given;
  if (maxOutputTokens === undefined && Object.keys(sampling).length === 0) return null;
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens: Math.min(maxOutputTokens, capTokens) }),
    ...sampling,
  };
};
