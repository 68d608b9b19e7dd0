import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, conflict, forbidden, invalid, notFound } from '../../kernel/errors.ts';
import type { McpConnector, McpHttpEndpoint } from '../../kernel/mcp.ts';
import { type CallerFor, credentialOf, type StoredCredential } from '../../kernel/stored-credential.ts';
import type { McpAuditEntry } from './audit-notes.ts';
import type { Calls } from './calls.ts';
import { redactFault, redactorOf } from './endpoint.ts';
import { mcpErrorOf } from './faults.ts';
import type { RegisteredServer, Registry } from './registry.ts';
import type { SecretBox } from './secret-box.ts';

/**
 * Signing in at servers that ask for OAuth. The `state` of a sign-in is sealed by the platform and says which server it
 * is for, so that the answer finds it on any node; it is good once and for ten minutes.
 *
 * Its address works in anybody's browser: whoever was talked into opening a stranger's would give that stranger their
 * account. So the answer counts in the browser that began, which has a cookie; another one is shown the answer sealed, for
 * the person who began to hand in with their own token.
 */
const SIGN_IN_MS = 10 * 60_000;
const PLACE = 'mcp_oauth.sign_in';
const ANSWER_PLACE = 'mcp_oauth.answer';
const COOKIE = 'pentarch_mcp_sign_in_';

const SignIn = Type.Object({
  tenantId: Type.String(),
  userId: Type.String(),
  server: Type.String(),
  credential: Type.Unsafe<StoredCredential>(Type.Object({})),
  /** SHA-256 of what the browser that began has in its cookie. */
  browser: Type.String(),
  until: Type.Number(),
});

const Answer = Type.Object({
  code: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});
type Answer = Static<typeof Answer>;

/** What the browser brought back, or what it is to be shown because another one began. */
export type Finished = { server: string } | { server: string; answer: string };

export interface BrowserCookie {
  name: string;
  value: string;
  maxAgeS: number;
}

const NEEDED = 'mcp:manage';

/** As little of the credential as the end of a sign-in is held to: it stands in an address. */
const beganBy = (caller: Caller): StoredCredential => {
  const credential = credentialOf(caller);
  const needed = (permissions: readonly string[]) => permissions.filter((one) => one === NEEDED);
  return { ...credential, permissions: needed(credential.permissions), added: needed(credential.added) };
};

const digest = (secret: string): string => hash('sha256', secret, 'base64url');

/** Sign-ins that go on side by side have a cookie each. */
const cookieName = (browser: string): string => `${COOKIE}${browser.slice(0, 16)}`;

const began = (browser: string, cookies: ReadonlyMap<string, string>): boolean => {
  const given = Buffer.from(digest(cookies.get(cookieName(browser)) ?? ''));
  const right = Buffer.from(browser);
  return given.length === right.length && timingSafeEqual(given, right);
};

export const createSignIn = (options: {
  registry: Registry;
  calls: Calls;
  connector: McpConnector;
  box: SecretBox;
  clock: Clock;
  audit(entry: McpAuditEntry, tx: null): Promise<void>;
  callerOf: CallerFor;
}) => {
  const { registry, connector, box, clock } = options;

  const endpointOf = (server: RegisteredServer): McpHttpEndpoint => {
    const { endpoint } = server.definition;
    if (endpoint?.transport !== 'http' || endpoint.oauth === undefined) {
      throw conflict('this server is registered without oauth');
    }
    return endpoint;
  };

  const unknown = () => invalid({ field: '/state', reason: 'does not belong to a sign-in under way' });

  const readState = (answer: Answer): Static<typeof SignIn> => {
    if (answer.state === undefined) throw unknown();
    let signIn: unknown;
    try {
      signIn = JSON.parse(box.open(answer.state, PLACE));
    } catch {
      throw unknown();
    }
    if (!Value.Check(SignIn, signIn) || signIn.until < clock.now()) throw unknown();
    return signIn;
  };

  const complete = async (signIn: Static<typeof SignIn>, answer: Answer): Promise<void> => {
    const server = registry.find(signIn.tenantId, signIn.server);
    if (server === null || answer.state === undefined) throw unknown();
    // A cookie outlives the rights of the person who has it.
    const caller = await options.callerOf(signIn.tenantId, signIn.userId, signIn.credential);
    if (caller === null || !caller.permissions.has(NEEDED)) throw forbidden(NEEDED);
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
      throw mcpErrorOf(redactFault(error, redactorOf(endpointOf(server))), signIn.server);
    }
    await options.audit(
      {
        tenantId: signIn.tenantId,
        userId: signIn.userId,
        // By the browser or the token of the person who began.
        actorType: 'user',
        action: 'mcp.server.authorized',
        subject: signIn.server,
        details: {},
      },
      null,
    );
    server.runtime.retry();
  };

  const serverFor = (caller: Caller, name: string): RegisteredServer => {
    const server = options.calls.findServer(caller, name);
    if (server.definition.tenantId === null && !caller.platformAdmin) throw notFound('MCP server');
    return server;
  };

  return {
    /** Address for a browser, and the cookie for the one that asks. Throws CONFLICT for servers without `oauth`. */
    async begin(
      caller: Caller,
      name: string,
    ): Promise<{ authorization_url: string | null; cookie: BrowserCookie }> {
      const server = serverFor(caller, name);
      const endpoint = endpointOf(server);
      const secret = randomBytes(32).toString('base64url');
      const browser = digest(secret);
      const state = box.seal(
        JSON.stringify({
          tenantId: caller.tenantId,
          userId: caller.userId,
          server: name,
          credential: beganBy(caller),
          browser,
          until: clock.now() + SIGN_IN_MS,
        }),
        PLACE,
      );
      try {
        const url = await connector.authorize(endpoint, registry.oauthStoreOf(server), state);
        if (url === null) server.runtime.retry();
        return {
          authorization_url: url,
          cookie: { name: cookieName(browser), value: secret, maxAgeS: SIGN_IN_MS / 1000 },
        };
      } catch (error) {
        throw mcpErrorOf(redactFault(error, redactorOf(endpoint)), name);
      }
    },

    /** What a browser brought back: the sign-in is finished in the one that began, and nothing is done in another. */
    async finish(answer: Answer, cookies: ReadonlyMap<string, string>): Promise<Finished> {
      const signIn = readState(answer);
      if (!began(signIn.browser, cookies)) {
        return { server: signIn.server, answer: box.seal(JSON.stringify(answer), ANSWER_PLACE) };
      }
      await complete(signIn, answer);
      return { server: signIn.server };
    },

    /** The answer that another browser was shown, handed in by the person who began. */
    async handIn(caller: Caller, name: string, sealed: string): Promise<void> {
      serverFor(caller, name);
      let answer: unknown;
      try {
        answer = JSON.parse(box.open(sealed, ANSWER_PLACE));
      } catch {
        answer = null;
      }
      if (!Value.Check(Answer, answer)) {
        throw invalid({ field: '/answer', reason: 'is not what the browser was shown' });
      }
      const signIn = readState(answer);
      if (signIn.userId !== caller.userId || signIn.tenantId !== caller.tenantId || signIn.server !== name) {
        throw invalid({ field: '/answer', reason: 'belongs to a sign-in that somebody else began' });
      }
      await complete(signIn, answer);
    },
  };
};

export type McpSignIn = ReturnType<typeof createSignIn>;

/** Path of the address that authorization servers send browsers back to. */
export const OAUTH_CALLBACK_PATH = '/mcp/oauth/callback';
