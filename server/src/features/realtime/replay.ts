import type { PlatformEvent } from '../../kernel/events.ts';
import type { EventLog } from './event-log.ts';
import { CLOSE } from './rules.ts';
import type { SocketWriter } from './socket-writer.ts';

/** Events of the log for one connection that is behind: after a reconnect, or while a `chat.send` starts. */
export interface Replay {
  /** Nothing is left to catch up with: events come as they are published. */
  readonly live: boolean;
  /** Takes events from this position on, once `feed` runs. */
  from(position: number): void;
  /** Sends up to the end of the log, then goes live. */
  feed(): void;
  /** Holds events back in the log until the function that it gives is called. */
  hold(): () => void;
}

/** A connection is fed only while less than this waits, so that a long replay is no back-pressure fault. */
const FEED_BELOW_BYTES = 256 * 1024;
const FEED_AGAIN_MS = 10;
const CATCH_UP_LIMIT_MS = 60_000;

interface ReplayParts {
  log: EventLog;
  writer: SocketWriter;
  now(): number;
  deliver(event: PlatformEvent): void;
}

export const createReplay = ({ log, writer, now, deliver }: ReplayParts): Replay => {
  /** Position from which to read on; null = live. */
  let position: number | null = null;
  let since = 0;
  let holds = 0;

  const from = (start: number): void => {
    position = start;
    since = now();
  };

  const feed = (): void => {
    while (position !== null && !writer.closed && holds === 0) {
      if (position >= log.end()) {
        position = null;
        return;
      }
      if (writer.waitingBytes > FEED_BELOW_BYTES) {
        if (now() - since > CATCH_UP_LIMIT_MS) return writer.end(CLOSE.tooSlow, 'reading too slowly');
        setTimeout(feed, FEED_AGAIN_MS).unref();
        return;
      }
      const event = log.at(position);
      position += 1;
      if (event !== undefined) deliver(event);
    }
  };

  return {
    get live() {
      return position === null;
    },
    from,
    feed,
    hold() {
      if (position === null) from(log.end());
      holds += 1;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holds -= 1;
        feed();
      };
    },
  };
};
