import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../../kernel/caller.ts';
import type { Decision, OwnDecisions } from '../../../kernel/decisions.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { AgentTool } from '../../../kernel/tools.ts';

/**
 * Approvals that a person gives where they made the call: their client asks them (elicitation), and what they may decide is what
 * the routes of governance let them decide. Everybody else hears of the proposal, as without it.
 */
export interface DoorApprovals {
  own: OwnDecisions;
  /** Null while the proposal is open or its call is on its way. */
  outcome(caller: Caller, proposalId: string): Promise<Decision | null>;
  /** Resolves when the proposal may have been decided, or after a while. */
  next(proposalId: string, signal: AbortSignal): Promise<void>;
  now(): number;
}

/** What the client says of itself: in the request, or when its session began. */
export interface Asked {
  envelope?: Readonly<Record<string, unknown>> | undefined;
  session: ClientCapabilities | undefined;
  responses?: Record<string, unknown> | undefined;
  signal: AbortSignal;
  requestId: string;
}

export interface GatedCall {
  tool: AgentTool;
  args: Record<string, unknown>;
  caller: Caller;
}

const KEY = 'approval:';
/** After a yes the call is made, or the five vote: longer than this the client hears of it by itself. */
const DECIDED_WITHIN_MS = 60_000;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Forms, which a client means that says no more of itself than that it can be asked. */
export const canBeAsked = ({ envelope, session }: Pick<Asked, 'envelope' | 'session'>): boolean => {
  const said = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? session;
  const elicitation = isRecord(said) ? said.elicitation : undefined;
  if (!isRecord(elicitation)) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
};

const questionOf = (proposalId: string, message: string): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [`${KEY}${proposalId}`]: inputRequired.elicit({
        message,
        requestedSchema: {
          type: 'object',
          properties: { approve: { type: 'boolean', title: 'Approve', description: 'Make this call' } },
          required: ['approve'],
        },
      }),
    },
  });

type Said = { proposalId: string; approve: boolean | 'put away' | 'unclear' };

/** The proposal that the client answers for, and what its person said; a form that was put away says nothing. */
const answerIn = (responses: Asked['responses']): Said | null => {
  const key = Object.keys(responses ?? {}).find((name) => name.startsWith(KEY));
  if (key === undefined) return null;
  const proposalId = key.slice(KEY.length);
  const answer = inputResponse(responses, key);
  if (answer.kind !== 'elicit' || answer.action === 'cancel') return { proposalId, approve: 'put away' };
  if (answer.action === 'decline') return { proposalId, approve: false };
  const approve = answer.content?.approve;
  return { proposalId, approve: typeof approve === 'boolean' ? approve : 'unclear' };
};

export const createApprovals = ({ own, outcome, next, now }: DoorApprovals) => {
  /** Null when it takes longer. */
  const decided = async (caller: Caller, id: string, signal: AbortSignal): Promise<Decision | null> => {
    const until = now() + DECIDED_WITHIN_MS;
    for (;;) {
      const decision = await outcome(caller, id);
      if (decision !== null || now() >= until || signal.aborted) return decision;
      await next(id, signal);
    }
  };

  return {
    /** What the gate makes wait: the question, where this client and this caller can be asked it. */
    async ask(caller: Caller, proposalId: string, asked: Asked): Promise<InputRequiredResult | null> {
      if (!canBeAsked(asked)) return null;
      const question = await own.question(caller, proposalId);
      return question === null ? null : questionOf(proposalId, question.text);
    },

    /**
     * What the person has said of this very call; null where they were not asked of it. `later`: it is not decided yet; `unclear`:
     * the form came back without a yes or a no, which decides nothing. An answer that comes too late, or is not theirs to give, tells what became of the proposal.
     */
    async answered(
      { caller, tool, args }: GatedCall,
      { responses, signal, requestId }: Asked,
    ): Promise<{ proposalId: string; decision: Decision | 'later' | 'unclear' } | null> {
      const answer = answerIn(responses);
      if (answer === null) return null;
      const { proposalId, approve } = answer;
      if (!(await own.isFor(caller, proposalId, { server: tool.server, tool: tool.name, args }))) return null;
      if (approve === 'unclear')
        return { proposalId, decision: (await outcome(caller, proposalId)) ?? approve };
      if (approve === 'put away')
        return { proposalId, decision: (await outcome(caller, proposalId)) ?? 'later' };
      try {
        await own.answer(caller, proposalId, approve, requestId);
      } catch (error) {
        // Decided meanwhile: what became of it follows.
        if (!(error instanceof AppError) || error.code === 'INTERNAL_ERROR') throw error;
        if (error.code !== 'CONFLICT')
          return { proposalId, decision: (await outcome(caller, proposalId)) ?? 'later' };
      }
      return { proposalId, decision: (await decided(caller, proposalId, signal)) ?? 'later' };
    },
  };
};
