import type { Along } from '../../../db/db.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { EffectiveAgent } from '../../agents/index.ts';
import { once } from './once.ts';
import type { Asking, Prompt, StartDeps, StartedRun } from './run.ts';
import type { History } from './steps/load-history.ts';
import { setAside } from './steps/reserve-budget.ts';
import { createLookUp, type LookUp } from './steps/retrieve.ts';
import { namedAgent, type selectAgent } from './steps/select-agent.ts';

type Selection = Awaited<ReturnType<typeof selectAgent>>;

/** The steps between the history and the budget, which may be taken again for less money. */
interface Attempt {
  select(found: LookUp, setAsideFor: (agent: EffectiveAgent) => Promise<Along>): Promise<Selection>;
  prepare(agent: EffectiveAgent, found: LookUp): Promise<Prompt>;
  reserve(prompt: Prompt, choice: Selection['choice']): Promise<StartedRun>;
}

const isRefusedCost = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'COST_EXCEEDED';

/** Where nothing may cost. */
const refuse = async (): Promise<never> => {
  throw new AppError('COST_EXCEEDED', 'this must not cost anything');
};

/**
 * The best start that there is money for: by the agent that was chosen, by the router's choice where a model has made another, by
 * words alone without a call that costs. Throws COST_EXCEEDED where there is none; what was set aside is given back.
 */
export const affordable = async (
  deps: StartDeps,
  asking: Asking,
  history: History,
  { select, prepare, reserve }: Attempt,
): Promise<StartedRun> => {
  const lookUp = createLookUp(deps, asking, history);
  const setAsideFor = (prompt: Prompt): Along => setAside(deps, asking, history, prompt);
  /** The same start by words alone, without a call that costs. */
  const plain = once(async () => {
    const found = lookUp(refuse);
    const { agent, choice } = await select(found, refuse);
    return { prompt: await prepare(agent, found), choice };
  });
  let plainIsPaidFor = false;
  // Nothing is embedded before there is money for the answer that could be given without.
  const found = lookUp(
    once(async () => {
      await deps.store.write(setAsideFor((await plain()).prompt));
      plainIsPaidFor = true;
    }),
  );
  try {
    const { agent, choice } = await select(found, (one) => prepare(one, found).then(setAsideFor));
    const { instead, spent } = choice;
    const paid = spent === undefined ? {} : { spent };
    const other = instead === undefined || instead.agentId === choice.agentId ? undefined : instead;
    return await reserve(await prepare(agent, found), choice)
      .catch(async (error: unknown) => {
        if (other === undefined || !isRefusedCost(error)) throw error;
        // The money is there for the router's choice, and set aside.
        const { agent: second } = await namedAgent(deps.agents, asking.message.caller, other.agentId);
        return reserve(await prepare(second, found), { ...other, ...paid });
      })
      .catch(async (error: unknown) => {
        if (!plainIsPaidFor || !isRefusedCost(error)) throw error;
        const { prompt, choice: plainChoice } = await plain();
        return reserve(prompt, { ...plainChoice, ...paid });
      });
  } catch (error) {
    await asking.reserve.drop();
    throw error;
  }
};
