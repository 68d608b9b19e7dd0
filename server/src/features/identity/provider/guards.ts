import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { repeatsAuthorization } from '../../../http/context.ts';
import { addressGroup } from '../../../kernel/address.ts';
import { OIDC_PATHS } from '../../../kernel/oidc.ts';
import { CHALLENGE } from './form.ts';
import { FORM, FORM_ONLY } from './form-only.ts';
import { countNewClients, NEW_CLIENTS_PER_MINUTE } from './new-clients.ts';
import { OAuthError } from './oauth-error.ts';
import { assertText } from './parameters.ts';
import type { ProviderPluginOptions } from './plugin-options.ts';
import { sendError } from './send-error.ts';
import { createSharedThrottle, createThrottle } from './throttle.ts';

const FORM_LIMIT_BYTES = 64 * 1024;
const REQUESTS_PER_MINUTE = 600;
/** User codes that one address, or one browser, may try at the device page (RFC 8628, 5.1); whoever lets a device in sends two. */
const DEVICE_CODES_PER_MINUTE = 20;
/** Where machines send forms. */
const FORM_PATHS: ReadonlySet<string> = new Set([
  OIDC_PATHS.token,
  OIDC_PATHS.introspection,
  OIDC_PATHS.revocation,
  OIDC_PATHS.deviceAuthorization,
  OIDC_PATHS.pushedAuthorization,
]);

/** What holds for every request to the provider, before its own handler. */
export const mountGuards = (
  scope: FastifyInstance,
  options: Pick<ProviderPluginOptions, 'clients' | 'clock' | 'countAddress' | 'throttle'>,
): void => {
  const throttleOf = (perMinute: number, what: string) => {
    const how = { perMinute, what, enabled: options.throttle };
    return options.countAddress === null
      ? createThrottle(options.clock, how)
      : createSharedThrottle(options.countAddress, how);
  };
  const throttle = throttleOf(REQUESTS_PER_MINUTE, 'requests');
  const deviceCodes = throttleOf(DEVICE_CODES_PER_MINUTE, 'requests');
  const newClients = throttleOf(NEW_CLIENTS_PER_MINUTE, 'new clients');

  scope.addContentTypeParser(
    FORM,
    { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
    (_request, body, done) => done(null, body),
  );
  scope.setErrorHandler(sendError);
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public', surface: 'root' };
    // `consumes`: these routes read forms, which the API's own check of bodies does not know.
    route.schema = { ...route.schema, hide: true, consumes: [FORM] };
  });
  scope.addHook('onRequest', async (request) => {
    await throttle.count(request.ip);
    // Where a bearer token is meant, `bearer` refuses it.
    if (FORM_PATHS.has(request.routeOptions.url ?? '') && repeatsAuthorization(request)) {
      throw new OAuthError('invalid_client', 'the Authorization header must not be given twice', CHALLENGE);
    }
  });
  scope.addHook('preParsing', async (request) => {
    const type = request.headers['content-type'];
    const isForm = type === undefined || type.split(';', 1)[0]?.trim().toLowerCase() === FORM;
    if (request.method === 'POST' && !isForm && FORM_PATHS.has(request.routeOptions.url ?? '')) {
      throw new OAuthError('invalid_request', FORM_ONLY, {}, 415);
    }
  });
  scope.addHook('preHandler', async (request) => {
    const { url = '' } = request.raw;
    const at = url.indexOf('?');
    assertText(at < 0 ? '' : url.slice(at + 1));
    if (typeof request.body === 'string') assertText(request.body);
    await countNewClients(request, options.clients, newClients);
    if (typeof request.body !== 'string') return;
    if (request.routeOptions.url !== OIDC_PATHS.device) return;
    const form = new URLSearchParams(request.body);
    if (!form.has('user_code')) return;
    await deviceCodes.count(`device:${addressGroup(request.ip)}`);
    // Of the same browser from other addresses: its session gave it this.
    await deviceCodes.count(`device-form:${hash('sha256', form.get('xsrf') ?? '', 'base64url')}`);
  });
  scope.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
};
