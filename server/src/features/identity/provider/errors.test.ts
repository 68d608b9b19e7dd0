import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { FORM, FORM_ONLY } from './form-only.ts';
import { OAuthError } from './oauth-error.ts';
import { only } from './other-methods.ts';

describe('errors of the provider', () => {
  it('have the status of their code, or a better one', () => {
    const plain = new OAuthError('invalid_client', 'unknown');
    expect(plain).toMatchObject({ name: 'OAuthError', message: 'unknown', status: 401, headers: {} });
    expect(new OAuthError('invalid_request', 'too large', {}, 413).status).toBe(413);
    expect(new OAuthError('access_denied', 'no', { a: 'b' }).headers).toEqual({ a: 'b' });
    expect(FORM).toBe('application/x-www-form-urlencoded');
    expect(FORM_ONLY).toContain(FORM);
  });

  it('are 405 with the methods that a path takes, for all others', async () => {
    const app = Fastify();
    const caught: unknown[] = [];
    app.setErrorHandler((error, _request, reply) => {
      caught.push(error);
      return reply.code(405).send();
    });
    app.get('/a', () => 'here');
    only(app, '/a', ['GET']);
    only(app, '/b', ['POST', 'DELETE']);
    const status = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string) =>
      (await app.inject({ method, url })).statusCode;
    try {
      expect(await status('GET', '/a')).toBe(200);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
        expect([method, await status(method, '/a')]).toEqual([method, 405]);
      for (const method of ['GET', 'PUT', 'PATCH'] as const)
        expect([method, await status(method, '/b')]).toEqual([method, 405]);
      for (const method of ['POST', 'DELETE'] as const)
        expect([method, await status(method, '/b')]).toEqual([method, 404]);
      expect(caught.at(-1)).toMatchObject({
        code: 'method_not_allowed',
        headers: { allow: 'POST, DELETE' },
      });
    } finally {
      await app.close();
    }
  });
});
