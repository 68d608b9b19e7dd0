import type { Clock } from '../../kernel/clock.ts';
import type { ModelError, ModelRef } from '../../kernel/model.ts';
import { type Circuit, CLOSED_CIRCUIT, circuitState, nextCircuit } from './rules.ts';

/** What is known of providers by their last calls. */
export const createCircuits = (clock: Clock) => {
  const circuits = new Map<string, Circuit>();
  const circuitOf = (provider: string): Circuit => circuits.get(provider) ?? CLOSED_CIRCUIT;
  const report = (provider: string, outcome: 'ok' | ModelError['kind']): void => {
    const before = circuitOf(provider);
    const after = nextCircuit(before, outcome, clock.now());
    if (after !== before) circuits.set(provider, after);
  };
  const isOpen = (ref: ModelRef): boolean => circuitState(circuitOf(ref.provider), clock.now()) === 'open';

  return { circuitOf, report, isOpen };
};

export type Circuits = ReturnType<typeof createCircuits>;
