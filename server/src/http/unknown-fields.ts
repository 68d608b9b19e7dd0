import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';

export const IGNORED_HEADER = 'x-pentarch-ignored';

const MAX_NAMED = 16;
const MAX_NAME_CHARACTERS = 64;

/** Names as a header can hold them, escaped where they are not plain; what is beyond the bound is counted. */
export const ignoredNames = (names: readonly string[]): string => {
  const named = names
    .slice(0, MAX_NAMED)
    .map((name) => encodeURIComponent(name.toWellFormed()).slice(0, MAX_NAME_CHARACTERS));
  const more = names.length - named.length;
  return [...named, ...(more === 0 ? [] : [`+${more}`])].join(', ');
};

/** A hook that takes fields out of the body which the schema does not know, and names them in the answer. */
export const droppingUnknown = (schema: TSchema) => {
  const properties: unknown = 'properties' in schema ? schema.properties : {};
  const known = new Set(Object.keys(typeof properties === 'object' && properties !== null ? properties : {}));
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { body } = request;
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      const fields = Object.entries(body);
      const unknown = fields.flatMap(([name]) => (known.has(name) ? [] : [name]));
      if (unknown.length > 0) {
        request.body = Object.fromEntries(fields.filter(([name]) => known.has(name)));
        reply.header(IGNORED_HEADER, ignoredNames(unknown));
      }
    }
    done();
  };
};
