import type { Caller } from '../../kernel/caller.ts';
import type { PlatformEvent } from '../../kernel/events.ts';
import { mayReceive } from '../../kernel/may-receive.ts';
import { type SocketForm, socketFormOf, TOPICS, type Topic } from './rules.ts';

/** What one connection gets of all events. */
export interface Subscription {
  readonly topics: readonly Topic[];
  replace(topics: readonly Topic[]): void;
  remove(topics: readonly Topic[]): void;
  /** Events of a run that the connection has asked for come whatever it has subscribed to. */
  addRun(runId: string): void;
  /** The form in which the caller gets the event, or null. */
  formFor(caller: Caller | null, event: PlatformEvent): SocketForm | null;
}

const MAX_OWN_RUNS = 100;

export const createSubscription = (): Subscription => {
  const topics = new Set<Topic>(TOPICS);
  const ownRuns = new Set<string>();

  return {
    get topics() {
      return [...topics];
    },
    replace(given) {
      topics.clear();
      for (const topic of given) topics.add(topic);
    },
    remove(given) {
      for (const topic of given) topics.delete(topic);
    },
    addRun(runId) {
      ownRuns.add(runId);
      const oldest = ownRuns.values().next().value;
      if (ownRuns.size > MAX_OWN_RUNS && oldest !== undefined) ownRuns.delete(oldest);
    },
    formFor(caller, event) {
      const form = socketFormOf(event.type);
      if (form === null || caller === null || !mayReceive(caller, event)) return null;
      if (topics.has(form.topic)) return form;
      const { run_id: runId } = event.data;
      return typeof runId === 'string' && ownRuns.has(runId) ? form : null;
    },
  };
};
