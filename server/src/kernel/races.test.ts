import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { atMost, orAborted } from './races.ts';

const never = (): Promise<never> => new Promise(() => {});
const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('work or its abort, whichever comes first', () => {
  it('gives the result or the failure of the work, and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(orAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(orAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    expect(listeners(signal)).toBe(0);
  });

  it('rejects with the reason at the abort, though the work goes on', async () => {
    const stop = new AbortController();
    const waited = orAborted(never(), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waited).rejects.toThrow('stopped');
    stop.abort('again');
    await expect(orAborted(never(), stop.signal)).rejects.toThrow('stopped');
    await expect(orAborted(never(), AbortSignal.abort('a text'))).rejects.toThrow('aborted');
  });

  it('a failure after the abort is nobody’s', async () => {
    const late = Promise.withResolvers<never>();
    await expect(orAborted(late.promise, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    late.reject(new Error('late'));
    await new Promise(setImmediate);
  });
});

describe('work for a limited time', () => {
  it('gives the result or the failure of the work, and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(atMost(Promise.resolve(1), 60_000, signal)).resolves.toBe(1);
    await expect(atMost(Promise.reject(new Error('broken')), 60_000, signal)).rejects.toThrow('broken');
    expect(listeners(signal)).toBe(0);
  });

  it('gives up after the time and at the abort', async () => {
    await expect(atMost(never(), 1)).resolves.toBeUndefined();
    const stop = new AbortController();
    const waited = atMost(never(), 60_000, stop.signal);
    stop.abort();
    await expect(waited).resolves.toBeUndefined();
    await expect(atMost(never(), 60_000, AbortSignal.abort())).resolves.toBeUndefined();
  });
});
