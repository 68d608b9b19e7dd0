import { AppError } from '../../../../kernel/errors.ts';
import { newId } from '../../../../kernel/ids.ts';
import type { ModelToolCall } from '../../../../kernel/model.ts';
import { estimatePromptTokens, picturesIn } from '../../../../kernel/tokens.ts';
import { ModelCallError, type ModelCallResult, modelErrorOf } from '../../../models/index.ts';
import { capOf } from '../../budget.ts';
import { handedCallId, isClients, withOneOf } from '../../client-tools.rules.ts';
import { type AnswerForm, doesNotFit, readAnswer, repairWords } from '../../form.ts';
import { packJournal } from '../../journal.rules.ts';
import { createMarkerFilter } from '../../markers.rules.ts';
import { keepPartial } from '../../partials.ts';
import { bytesOfShown } from '../../pictures/shown.ts';
import { tellRepair } from '../../steps.rules.ts';
import { charge, finish, isLast, outOfSteps, runIdOf, say, stepsAreOver } from '../loop.ts';
import { entryOf, groundingOf, noAnswer, sizedCall } from '../model-call.ts';
import type { RunDeps, RunLoop } from '../run.ts';
import { writeSteps } from '../write-steps.ts';

const AS_IT_COMES: ReturnType<typeof createMarkerFilter> = { push: (text) => text, end: () => '' };

/** Where passages were shown or looked for, a marker without one misleads. Elsewhere a number in brackets is none. */
const markersOf = ({ plan, state: { passages } }: RunLoop): typeof AS_IT_COMES =>
  plan.grounded || passages.length > 0
    ? createMarkerFilter(new Set(passages.map(({ n }) => n)))
    : AS_IT_COMES;

const ask = async (deps: RunDeps, run: RunLoop): Promise<ModelCallResult> => {
  const { models } = deps;
  const { plan, state, result } = run;
  const sized = sizedCall(run);
  const bound = run.promptBound ?? models.promptBound(sized, plan.model);
  run.promptBound = null;
  const { maxOutputTokens: _asked, ...sampling } = plan.record?.sampling ?? {};
  const shown = picturesIn(sized.messages);
  const call = {
    ...sized,
    ...(shown.length === 0 ? {} : { pictures: await bytesOfShown(deps, run, shown) }),
    ...sampling,
    grounding: groundingOf(plan, state.passages),
    maxOutputTokens: capOf(deps, plan.model, bound, result.open.hold),
    promptBound: bound,
  };
  // Its text may have to be asked for again: nobody is told of it before it has its form.
  if (plan.record?.form !== undefined)
    return plan.streaming ? models.stream(plan.model, call, () => {}) : models.generate(plan.model, call);
  if (state.modelCalls > 0 && state.content !== '' && !state.content.endsWith('\n\n')) say(deps, run, '\n\n');
  const keeping = keepPartial(deps, run, () => estimatePromptTokens(call));
  const markers = markersOf(run);
  try {
    if (plan.streaming)
      return await models.stream(plan.model, call, (text) => say(deps, run, markers.push(text)));
    const answer = await models.generate(plan.model, call);
    say(deps, run, markers.push(answer.content));
    return answer;
  } finally {
    say(deps, run, markers.end());
    await keeping.stop();
  }
};

/** A call that came to nothing: what it has used all the same is charged. Throws what is no fault of a provider. */
const failed = (deps: RunDeps, run: RunLoop, error: unknown): RunLoop['result'] => {
  if (!(error instanceof ModelCallError)) throw error;
  if (error.partial) {
    // Without streaming nothing of it has been shown yet.
    if (!run.plan.streaming && run.plan.record?.form === undefined) {
      const markers = markersOf(run);
      say(deps, run, markers.push(error.partial.content) + markers.end());
    }
    charge(run, entryOf(error.ref, error.partial.usage, error.costNanoUsd, true));
  }
  if (error.kind === 'aborted') return finish(run, 'cancelled');
  const fault = modelErrorOf(error);
  if (!(fault instanceof AppError)) throw error;
  run.result.model = error.ref;
  return finish(run, 'stop', fault);
};

/** Ids are what results are matched by: a model that gives none, or one twice, gets its own. */
const withIds = (run: RunLoop, calls: readonly ModelToolCall[]): ModelToolCall[] => {
  const client = run.plan.record?.client;
  const seen = new Set<string>();
  const asked = client?.single ? withOneOf(calls, client) : calls;
  return asked.map((call, i) => {
    const fresh = call.id === '' || seen.has(call.id) ? newId() : call.id;
    const id = isClients(client, call.name)
      ? handedCallId(runIdOf(run), run.state.modelCalls * 100 + i)
      : fresh;
    seen.add(id);
    return { ...call, id };
  });
};

/** Keeps what the model has said, before the run goes on with it. */
const writeModelStep = (
  deps: RunDeps,
  run: RunLoop,
  answer: ModelCallResult,
  more: { toolCalls: ModelToolCall[]; repair?: string },
): Promise<void> => {
  const { plan, state, events } = run;
  return writeSteps(deps, run, [
    ...(state.nextStep === 0 && plan.record !== null
      ? [{ kind: 'plan' as const, payload: plan.record }]
      : []),
    {
      kind: 'model',
      payload: {
        v: 1,
        content: answer.content,
        ...more,
        usage: answer.usage,
        costNano: answer.costNanoUsd,
        modelId: answer.ref.id,
        firstTokenMs: state.firstTokenMs,
        journal: packJournal(events.all(), events.jumps()),
        text: state.content,
      },
    },
  ]);
};

/** Keeps what the model has asked for, before the first of the calls is made. */
const writeAsked = (deps: RunDeps, run: RunLoop, answer: ModelCallResult): Promise<void> => {
  const { state } = run;
  const asked = withIds(run, answer.toolCalls);
  state.asked = asked;
  state.lastText = answer.content;
  return writeModelStep(deps, run, answer, { toolCalls: asked });
};

/** A structured answer: told where it has its form, asked for once more where it has not. The end of the run, or null. */
const takeStructured = async (
  deps: RunDeps,
  run: RunLoop,
  form: AnswerForm,
  answer: ModelCallResult,
): Promise<RunLoop['result'] | null> => {
  if (answer.finishReason === 'length') {
    say(deps, run, answer.content);
    return finish(run, 'length');
  }
  const read = readAnswer(form, answer.content);
  if (read.ok) {
    say(deps, run, read.content);
    return finish(run, 'stop');
  }
  if (run.state.repaired === true || stepsAreOver(run))
    return finish(run, 'stop', doesNotFit(answer.ref.provider, read.reason));
  const repair = repairWords(read.reason);
  await writeModelStep(deps, run, answer, { toolCalls: [], repair });
  tellRepair(run.state, answer.content, repair);
  return null;
};

/** Asks the model, which answers or asks for tools. The end of the run, or null where it goes on with the calls that were asked for. */
export const callModel = async (deps: RunDeps, run: RunLoop): Promise<RunLoop['result'] | null> => {
  const { plan, state, result } = run;
  const last = isLast(run);
  let answer: ModelCallResult;
  plan.spending.calls += 1;
  try {
    answer = await ask(deps, run);
  } catch (error) {
    return failed(deps, run, error);
  }
  result.model = answer.ref;
  state.modelCalls += 1;
  charge(run, entryOf(answer.ref, answer.usage, answer.costNanoUsd, answer.estimated));
  // A model that calls all the same is not heard: the run would end without a word.
  if (last && answer.toolCalls.length > 0) return outOfSteps(deps, run);
  if (answer.toolCalls.length === 0) {
    const fault = noAnswer(answer, state);
    if (fault !== null) return finish(run, 'stop', fault);
    const form = plan.record?.form;
    if (form !== undefined) return takeStructured(deps, run, form, answer);
    return finish(run, answer.finishReason === 'length' ? 'length' : 'stop');
  }
  await writeAsked(deps, run, answer);
  return null;
};
