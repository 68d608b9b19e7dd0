import type { FastifyRequest } from 'fastify';
import { addressGroup } from '../../../kernel/address.ts';
import type { Clients } from '../clients/service.ts';
import { basicCredentials } from './form.ts';
import type { Throttle } from './throttle.ts';

/** Each may be a document that this service fetches for somebody who is not signed in. */
export const NEW_CLIENTS_PER_MINUTE = 10;

/** Whose an assertion says it is; nothing is believed of it here. */
const issuerOf = (assertion: string | null): string | null => {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(assertion?.split('.')[1] ?? '', 'base64url').toString('utf8'),
    );
    if (typeof claims !== 'object' || claims === null || !('sub' in claims)) return null;
    return typeof claims.sub === 'string' ? claims.sub : null;
  } catch {
    return null;
  }
};

/** Every client that a request names, wherever the provider may look for one. */
const namedClients = (request: FastifyRequest): Set<string> => {
  const { url = '' } = request.raw;
  const at = url.indexOf('?');
  const places = [
    new URLSearchParams(at < 0 ? '' : url.slice(at + 1)),
    new URLSearchParams(typeof request.body === 'string' ? request.body : ''),
  ];
  const named = places.flatMap((place) => [
    ...place.getAll('client_id'),
    issuerOf(place.get('client_assertion')),
    issuerOf(place.get('assertion')),
  ]);
  const basic = basicCredentials(request.headers.authorization);
  return new Set([...named, basic?.id ?? null].filter((id) => id !== null));
};

/** Counts the new ones for the address that brings them; throws `temporarily_unavailable` above the limit. */
export const countNewClients = async (
  request: FastifyRequest,
  clients: Pick<Clients, 'isNew' | 'takesDocuments'>,
  throttle: Throttle,
): Promise<void> => {
  if (!clients.takesDocuments) return;
  for (const id of namedClients(request))
    if (await clients.isNew(id)) await throttle.count(`client:${addressGroup(request.ip)}`);
};
