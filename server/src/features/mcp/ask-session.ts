import type { AppError } from '../../kernel/errors.ts';
import { McpFault, type McpSession } from '../../kernel/mcp.ts';
import { redactFault } from './endpoint.ts';

/** A call waits so long for a connection that is being made. */
const CONNECT_WAIT_MS = 10_000;

export interface AskingOptions {
  current(): McpSession | null;
  settled(maxMs: number, signal: AbortSignal): Promise<void>;
  unavailable(): AppError;
  confirmShutOut(asked: McpSession): Promise<void>;
  renew(old: McpSession): Promise<void>;
  redact(text: string): string;
}

/** Asks the session that there is, waits for one that is being made, and asks once more when the server forgot it. */
export const createAsking = (options: AskingOptions) => {
  const { current, settled, renew } = options;
  let inFlight = 0;

  const ask = async <T, O extends { signal: AbortSignal; timeoutMs: number }>(
    call: O,
    work: (target: McpSession, call: O) => Promise<T>,
  ): Promise<T> => {
    const started = performance.now();
    const left = (): number => Math.max(1, Math.floor(call.timeoutMs - (performance.now() - started)));
    for (let tries = 0; ; tries++) {
      if (current() === null) await settled(Math.min(left(), CONNECT_WAIT_MS), call.signal);
      const target = current();
      if (target === null) throw options.unavailable();
      inFlight++;
      try {
        return await work(target, { ...call, timeoutMs: left() });
      } catch (error) {
        if (error instanceof McpFault && error.kind === 'unauthorized') await options.confirmShutOut(target);
        // Nothing ran at the server: it did not know whom it was talking to.
        if (!(error instanceof McpFault) || error.kind !== 'expired' || tries > 0)
          throw redactFault(error, options.redact);
        await renew(target);
      } finally {
        inFlight--;
      }
    }
  };

  return { ask, isBusy: (): boolean => inFlight > 0 };
};
