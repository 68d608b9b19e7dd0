import type { FastifyRequest } from 'fastify';

/** False for a caller who wants no place behind the message that the conversation is busy with (`Prefer: no-wait`, RFC 7240). */
export const prefersWaiting = (request: FastifyRequest): boolean =>
  !/\bno-wait\b/.test(String(request.headers.prefer ?? ''));

const LONGEST_WAIT_S = 300;

/**
 * How long an upload is waited for (`Prefer: wait=N` and `respond-async`, RFC 7240), and what of it to say in `Preference-Applied`.
 * Both together: N seconds, then in the background.
 */
export const uploadPreference = (
  prefer: string | string[] | undefined,
  defaultS: number,
): { waitMs: number; applied: string | null } => {
  const asked = String(prefer ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase());
  const wait = asked.find((one) => /^wait\s*=\s*"?\d{1,9}"?(?:\s*;|$)/.test(one));
  const isAsync = asked.some((one) => /^respond-async(?:\s*[;=]|$)/.test(one));
  const seconds = Math.min(Number(wait?.replaceAll(/\D/g, '') ?? (isAsync ? 0 : defaultS)), LONGEST_WAIT_S);
  const said = [...(isAsync ? ['respond-async'] : []), ...(wait === undefined ? [] : [`wait=${seconds}`])];
  return { waitMs: seconds * 1000, applied: said.length === 0 ? null : said.join(', ') };
};
