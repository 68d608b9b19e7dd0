import { vi } from 'vitest';

/** Until the clock shows another second than now: a time that is taken anew shows by then. */
export const nextSecond = async (): Promise<void> => {
  const second = () => Math.floor(Date.now() / 1000);
  const first = second();
  await vi.waitUntil(() => second() !== first, { timeout: 30_000 });
};
