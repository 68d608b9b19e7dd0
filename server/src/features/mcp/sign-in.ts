import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, conflict, invalid, notFound } from '../../kernel/errors.ts';
import type { McpConnector, McpHttpEndpoint } from '../../kernel/mcp.ts';
import type { Calls } from './calls.ts';
import { redactFault, redactorOf } from './endpoint.ts';
import { toAppError } from './faults.ts';
import type { RegisteredServer, Registry } from './registry.ts';
import type { SecretBox } from './secret-box.ts';
import type { McpAuditEntry } from './service.ts';

/**
 * Signing in at servers that ask for OAuth. The `state` of a sign-in is sealed by the platform and says which server it
 * is for, so that the answer finds it on any node; it is good once and for ten minutes.
 */
const SIGN_IN_MS = 10 * 60_000;
const PLACE = 'mcp_oauth.sign_in';

const SignIn = Type.Object({
  tenantId: Type.String(),
  userId: Type.String(),
  server: Type.String(),
  nonce: Type.String(),
  until: Type.Number(),
});

export const createSignIn = (options: {
  registry: Registry;
  calls: Calls;
  connector: McpConnector;
  box: SecretBox;
  clock: Clock;
  audit(entry: McpAuditEntry, tx: null): Promise<void>;
}) => {
  const { registry, connector, box, clock } = options;

  const endpointOf = (server: RegisteredServer): McpHttpEndpoint => {
    const { endpoint } = server.definition;
    if (endpoint?.transport !== 'http' || endpoint.oauth === undefined) {
      throw conflict('this server is registered without oauth');
    }
    return endpoint;
  };

  return {
    /** Address for the operator's browser. Throws CONFLICT for servers without `oauth`. */
    async begin(caller: Caller, name: string): Promise<{ authorization_url: string | null }> {
      const server = options.calls.findServer(caller, name);
      if (server.definition.tenantId === null && !caller.platformAdmin) throw notFound('MCP server');
      const endpoint = endpointOf(server);
      const state = box.seal(
        JSON.stringify({
          tenantId: caller.tenantId,
          userId: caller.userId,
          server: name,
          nonce: randomUUID(),
          until: clock.now() + SIGN_IN_MS,
        }),
        PLACE,
      );
      try {
        const url = await connector.authorize(endpoint, registry.oauthStoreOf(server), state);
        if (url === null) server.runtime.retry();
        return { authorization_url: url };
      } catch (error) {
        throw toAppError(redactFault(error, redactorOf(endpoint)), name);
      }
    },

    /** What the browser brought back. Resolves with the name of the server. */
    async finish(answer: { code?: string; state?: string; iss?: string; error?: string }): Promise<string> {
      const unknown = invalid({ field: '/state', reason: 'does not belong to a sign-in under way' });
      if (answer.state === undefined) throw unknown;
      let signIn: unknown;
      try {
        signIn = JSON.parse(box.open(answer.state, PLACE));
      } catch {
        throw unknown;
      }
      if (!Value.Check(SignIn, signIn) || signIn.until < clock.now()) throw unknown;
      const server = registry.find(signIn.tenantId, signIn.server);
      if (server === null) throw unknown;
      if (answer.code === undefined) {
        throw new AppError('UPSTREAM_ERROR', 'the authorization server did not grant access', {
          details: { server: signIn.server, reason: answer.error?.slice(0, 100) ?? null },
        });
      }
      try {
        await connector.finishAuthorization(endpointOf(server), registry.oauthStoreOf(server), {
          code: answer.code,
          state: answer.state,
          iss: answer.iss ?? null,
        });
      } catch (error) {
        throw toAppError(redactFault(error, redactorOf(endpointOf(server))), signIn.server);
      }
      await options.audit(
        {
          tenantId: signIn.tenantId,
          userId: signIn.userId,
          // It came back in somebody's browser.
          actorType: 'user',
          action: 'mcp.server.authorized',
          subject: signIn.server,
          details: {},
        },
        null,
      );
      server.runtime.retry();
      return signIn.server;
    },
  };
};

export type McpSignIn = ReturnType<typeof createSignIn>;

/** Path of the address that authorization servers send browsers back to. */
export const OAUTH_CALLBACK_PATH = '/mcp/oauth/callback';
