import type { Clock } from '../../../kernel/clock.ts';
import { AppError } from '../../../kernel/errors.ts';
import { orAborted } from '../../../kernel/races.ts';
import { traced } from '../../../kernel/tracing.ts';
import type { GovernanceConfig } from '../config.ts';
import { hashOf, sha256 } from '../hash.ts';
import type { GovernancePorts } from '../ports.ts';
import { type AgentBallot, type Ballot, type Proposal, SEATS, type Seat } from '../types.ts';
import { createModelQueues } from './model-queues.ts';
import { type ParsedVote, parseVote, VOTE_SCHEMA, votePrompt } from './prompt.rules.ts';
import { isStrictest, type SeatFacts, type SeatVote, voteByRule, withFloor } from './written.rules.ts';

/** How the agents of the five seats come to their votes. */

/** For the audit chain: figures, without the addresses themselves. */
const factsForAudit = (facts: SeatFacts): Record<string, unknown> => ({
  ...facts,
  audience: facts.audience.length,
});

interface AgentVotesOptions {
  clock: Clock;
  config: GovernanceConfig;
  ports: Pick<GovernancePorts, 'hasModel' | 'ask' | 'queueOf'>;
}

/** Left free before the end of the vote, so that the last ballot is still recorded in time. */
const RESERVE_MS = 2_000;
const MIN_USEFUL_MS = 500;

interface Question {
  seat: Seat;
  proposal: Proposal;
  facts: SeatFacts;
  rule: SeatVote;
}

export const createAgentVotes = ({ clock, config, ports }: AgentVotesOptions) => {
  const queues = createModelQueues();

  /** The queue in which it waits; null for none. */
  const queueOf = (model: string | null): string | null => {
    if (config.voteOrder === 'together') return null;
    return ports.queueOf(model) ?? (config.voteOrder === 'in_turn' ? (model ?? 'default') : null);
  };

  const ballot = (seat: Seat, vote: ParsedVote): Ballot => ({
    voter: seat,
    voterType: 'agent',
    seat,
    vote: vote.vote,
    reason: vote.reason,
    veto: vote.veto,
    confidence: vote.confidence,
    createdAt: clock.now(),
  });

  const byRule = ({ seat, facts, rule }: Question, why?: string): AgentBallot => ({
    ballot: ballot(seat, rule),
    inputs: { method: 'rule', facts: factsForAudit(facts), ...(why === undefined ? {} : { why }) },
  });

  /** No vote of a model: an abstention, never an approval; what the written rule refuses stays refused. */
  const withoutVote = ({ seat, rule }: Question, reason: string): Ballot =>
    ballot(seat, withFloor(rule, { vote: 'abstain', reason, confidence: null, veto: null }));

  /** Two tries within the time. */
  const askModel = async (question: Question, limitMs: number, stop: AbortSignal): Promise<AgentBallot> => {
    const { seat, proposal, facts, rule } = question;
    const { charter, model } = config.seats[seat];
    const messages = votePrompt(seat, charter, proposal, facts, rule);
    const timeout = AbortSignal.timeout(Math.ceil(limitMs));
    const signal = AbortSignal.any([timeout, stop]);
    const inputs: Record<string, unknown> = {
      method: 'model',
      model,
      prompt_sha256: hashOf(messages),
      facts: factsForAudit(facts),
      rule: { vote: rule.vote, reason_sha256: sha256(rule.reason) },
    };
    try {
      for (let attempt = 1; attempt <= 2; attempt++) {
        const request = { proposal, seat, model, messages: [...messages], schema: VOTE_SCHEMA, signal };
        if (attempt > 1) {
          request.messages.push({
            role: 'user',
            content: 'Your answer was not the JSON object that was asked for. Answer with it alone.',
          });
        }
        const answer = await orAborted(ports.ask(request), signal);
        Object.assign(inputs, { model: answer.model, answer_sha256: sha256(answer.text), attempts: attempt });
        const vote = parseVote(seat, answer.text);
        if (vote !== null) return { ballot: ballot(seat, withFloor(rule, vote)), inputs };
      }
      return { ballot: withoutVote(question, 'the model gave no valid vote in 2 tries'), inputs };
    } catch (error) {
      if (stop.aborted) throw error;
      const reason = timeout.aborted
        ? `no vote within ${Math.ceil(limitMs) / 1000} s`
        : `the model could not be asked${error instanceof AppError ? `: ${error.message}` : ''}`;
      return { ballot: withoutVote(question, reason), inputs };
    }
  };

  /** In its turn, with an even share of the time that is left; by rule once none is. */
  const askInTurn = async (question: Question, queue: string, stop: AbortSignal): Promise<AgentBallot> => {
    const { waiting, done } = await queues.enter(queue);
    try {
      stop.throwIfAborted();
      const { deadline } = question.proposal;
      if (deadline === null) return await askModel(question, config.voteTimeoutMs, stop);
      const leftMs = deadline - clock.now() - Math.min(RESERVE_MS, config.votingMs / 10);
      if (leftMs < Math.min(MIN_USEFUL_MS, config.voteTimeoutMs)) return byRule(question, 'no time was left');
      const shareMs = Math.max(config.voteTimeoutMs, leftMs / waiting);
      return await askModel(question, Math.min(leftMs, shareMs), stop);
    } finally {
      done();
    }
  };

  const vote = async (
    seat: Seat,
    proposal: Proposal,
    facts: SeatFacts,
    stop: AbortSignal,
  ): Promise<AgentBallot> => {
    const { model } = config.seats[seat];
    const question = { seat, proposal, facts, rule: voteByRule(seat, facts, config.rules) };
    if (!ports.hasModel(model) || isStrictest(seat, question.rule)) return byRule(question);
    const queue = queueOf(model);
    return queue === null ? askModel(question, config.voteTimeoutMs, stop) : askInTurn(question, queue, stop);
  };

  return {
    /** Seats whose agent votes and has not voted yet; AEGIS first, whose veto ends the vote. */
    seatsToVote: (proposal: Proposal): Seat[] =>
      SEATS.toSorted((a, b) => Number(b === 'aegis') - Number(a === 'aegis')).filter(
        (seat) =>
          config.seats[seat].holder.kind === 'agent' &&
          !proposal.ballots.some((cast) => cast.voterType === 'agent' && cast.seat === seat),
      ),

    /** The vote of one seat. Rejects only when `stop` is aborted. */
    cast: (seat: Seat, proposal: Proposal, facts: SeatFacts, stop: AbortSignal): Promise<AgentBallot> =>
      traced(
        `vote ${seat}`,
        {
          attributes: {
            'pentarch.vote.seat': seat,
            'pentarch.proposal.id': proposal.id,
            'pentarch.run.id': proposal.runId,
            'gen_ai.agent.id': seat,
          },
        },
        async (span) => {
          const cast = await vote(seat, proposal, facts, stop);
          span.set({
            'pentarch.vote.vote': cast.ballot.vote,
            'pentarch.vote.method': String(cast.inputs.method),
          });
          return cast;
        },
      ),
  };
};

export type AgentVotes = ReturnType<typeof createAgentVotes>;
