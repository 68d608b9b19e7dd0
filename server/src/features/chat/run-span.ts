import { openSpan, type Span, traced } from '../../kernel/tracing.ts';
import type { EffectiveAgent } from '../agents/index.ts';
import type { RunLoop, StartedRun } from './run/run.ts';
import type { RunStatus } from './schema.ts';

/** Spans of runs: one for the whole of a run from its first step on, one for each step. */

const spans = new WeakMap<StartedRun, Span>();

/** The first steps of a run that is not stored yet, in the span of the run; whoever goes on with it gets that by `spanOf`. */
export const startInSpan = async (
  runStart: () => Promise<StartedRun>,
  attributes: { tenantId: string; userId: string },
): Promise<StartedRun> => {
  const span = openSpan('invoke_agent', {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'pentarch.tenant.id': attributes.tenantId,
      'user.id': attributes.userId,
    },
  });
  try {
    const started = await span.within(runStart);
    spans.set(started, span);
    return started;
  } catch (error) {
    span.fail(error);
    span.end();
    throw error;
  }
};

/** Of a run that has begun; one that goes on after a restart has a trace of its own. */
export const spanOf = (run: StartedRun): Span => {
  const known = spans.get(run) ?? openSpan('invoke_agent', { parent: 'root' });
  const { definition } = run.plan.agent;
  known.rename(`invoke_agent ${definition.id}`);
  known.set({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': definition.id,
    'gen_ai.agent.name': definition.name,
    'gen_ai.conversation.id': run.conversationId,
    'gen_ai.request.model': run.plan.model.name,
    'pentarch.run.id': run.runId,
    'pentarch.tenant.id': run.subject.tenantId,
    'user.id': run.subject.userId,
  });
  return known;
};

export const tellEndInSpan = (span: Span, result: RunLoop['result'], status: RunStatus): void => {
  const { usage } = result.state;
  span.set({
    'pentarch.run.status': status,
    'gen_ai.response.finish_reasons': [result.finishReason],
    'gen_ai.response.model': result.model.name,
    'gen_ai.usage.input_tokens': usage.input_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
  });
};

/** The loop of an agent that works within another's tool. */
export const inHandOffSpan = (
  { definition }: EffectiveAgent,
  work: () => Promise<RunLoop['result']>,
): Promise<RunLoop['result']> =>
  traced(
    `invoke_agent ${definition.id}`,
    {
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': definition.id,
        'gen_ai.agent.name': definition.name,
      },
    },
    work,
  );

/** A step of the pipeline. */
export const inStep = <T>(name: string, work: () => T | Promise<T>): Promise<T> =>
  traced(`step ${name}`, { attributes: { 'pentarch.step': name } }, work);
