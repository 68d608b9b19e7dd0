import type { Clock } from '../../kernel/clock.ts';
import type { EventSink, NewEvent, PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import { createEventLog, type EventLog } from './event-log.ts';

/**
 * Where events of several nodes meet (Redis or the like). Without one the bus serves this process alone, which is all
 * there is on SQLite.
 */
export interface EventRelay {
  /** Tells the other nodes. Must not throw. */
  send(event: PlatformEvent): void;
  /** Calls back with events of other nodes. */
  receive(onEvent: (event: PlatformEvent) => void): void;
}

export interface EventBus extends EventSink {
  /** Of `tx.emit`, after the commit; of anybody else only what `EventSink` allows. */
  publish(event: NewEvent | PlatformEvent): void;
  /** Events published on this node, each once over all nodes: for work that follows from them. */
  onPublished(listener: (event: PlatformEvent) => void): () => void;
  /** Events of all nodes: for connections. */
  onEvent(listener: (event: PlatformEvent) => void): () => void;
  readonly log: EventLog;
}

export interface EventBusOptions {
  clock: Clock;
  onError(error: unknown, message: string): void;
  relay?: EventRelay;
  /** Default: 10 minutes and 50,000 events. */
  keepMs?: number;
  keepCount?: number;
}

const isRecorded = (event: NewEvent | PlatformEvent): event is PlatformEvent => 'id' in event;

export const createEventBus = (options: EventBusOptions): EventBus => {
  const published = new Set<(event: PlatformEvent) => void>();
  const everywhere = new Set<(event: PlatformEvent) => void>();
  const log = createEventLog({
    keepMs: options.keepMs ?? 10 * 60_000,
    keepCount: options.keepCount ?? 50_000,
  });

  const tell = (listeners: ReadonlySet<(event: PlatformEvent) => void>, event: PlatformEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        options.onError(error, `a listener failed on ${event.type}`);
      }
    }
  };

  const deliver = (event: PlatformEvent): void => {
    log.add(event);
    tell(everywhere, event);
  };
  options.relay?.receive(deliver);

  return {
    publish(given) {
      const event: PlatformEvent = isRecorded(given)
        ? given
        : { ...given, id: newId(), createdAt: options.clock.now() };
      deliver(event);
      options.relay?.send(event);
      tell(published, event);
    },
    onPublished(listener) {
      published.add(listener);
      return () => published.delete(listener);
    },
    onEvent(listener) {
      everywhere.add(listener);
      return () => everywhere.delete(listener);
    },
    log,
  };
};
