import type { Caller } from '../../kernel/caller.ts';
import { forbidden } from '../../kernel/errors.ts';

/** Tiers cost the platform money: its administrators set them, as those of tenants. */
export const assertMaySetTier = (caller: Caller): void => {
  if (!caller.platformAdmin) throw forbidden('tenants:manage');
};
