import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Answer, Client } from '../../../test/support/client.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';
import { providerPaths } from './provider/document.ts';

/** What the OpenAPI document says of the identity provider, against what it serves. */

interface Described {
  content?: Record<string, { schema: object }>;
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Described | { $ref: string }> }>>;
  components: { schemas: Record<string, object>; responses: Record<string, Described> };
}

const document = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '..', '..', '..', '..', 'api', 'openapi.json'), 'utf8'),
) as Document;
const ajv = new Ajv2020({ strict: false });
// The package's CommonJS default export is the function itself.
(addFormats as unknown as (target: Ajv2020) => void)(ajv);
ajv.addSchema({ $id: 'api', components: document.components });

/** The answer is one that the document names, with the body that it says. */
const asDocumented = (template: string, method: string, answer: Answer): Answer => {
  const operation = document.paths[template]?.[method];
  expect(operation, `${method} ${template}`).toBeDefined();
  const given = operation?.responses[String(answer.status)];
  const response =
    given !== undefined && '$ref' in given
      ? document.components.responses[given.$ref.split('/').at(-1) ?? '']
      : given;
  expect(response, `${method} ${template} ${answer.status}: ${answer.text.slice(0, 200)}`).toBeDefined();
  const schema = response?.content?.['application/json']?.schema;
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  expect(response?.content?.['text/html'] !== undefined || isJson || schema === undefined).toBe(true);
  if (schema !== undefined && isJson) {
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
    const validate = ajv.compile(local);
    expect(validate(answer.body), `${template}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  }
  return answer;
};

const it = withServer();

describe('the identity provider in the document', () => {
  let server: TestServer;
  let admin: Client;
  let anonymous: Client;

  it.beforeAll(({ world }) => {
    ({ server, admin } = world);
    anonymous = server.anonymous();
  });

  const form = (template: string, fields: Record<string, string>, auth?: string): Promise<Answer> =>
    anonymous.send('POST', template, new URLSearchParams(fields).toString(), {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(auth === undefined ? {} : { authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
      },
    });

  it(
    req('HTTP-01', 'has every path of the specification, and the server’s own document has them too'),
    async () => {
      const served = (await anonymous.get('/openapi.json')).json<Document>();
      for (const template of [
        '/oauth/v2/authorize',
        '/oauth/v2/token',
        '/oauth/v2/introspect',
        '/oauth/v2/revoke',
        '/oauth/v2/keys',
        '/oidc/v1/userinfo',
        '/oidc/v1/end_session',
        '/oauth/v2/device_authorization',
        '/oauth/v2/device',
        '/oauth/v2/par',
        '/.well-known/openid-configuration',
        '/.well-known/oauth-authorization-server',
        '/management/v1/users/{user_id}/machine_keys',
        '/management/v1/users/{user_id}/machine_keys/{key_id}',
      ]) {
        expect(Object.keys(providerPaths)).toContain(template);
        expect(served.paths[template]).toEqual(document.paths[template]);
      }
    },
  );

  it(req('HTTP-01', 'documents discovery, keys and userinfo as they are'), async () => {
    for (const template of [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
      '/oauth/v2/keys',
    ])
      expect(asDocumented(template, 'get', await anonymous.get(template)).status).toBe(200);
    expect(asDocumented('/oidc/v1/userinfo', 'get', await admin.get('/oidc/v1/userinfo')).status).toBe(200);
    expect(asDocumented('/oidc/v1/userinfo', 'get', await anonymous.get('/oidc/v1/userinfo')).status).toBe(
      401,
    );
    expect(
      asDocumented('/oauth/v2/authorize', 'get', await anonymous.get('/oauth/v2/authorize')).status,
    ).toBe(400);
    const begin =
      '/oauth/v2/authorize?response_type=code&client_id=pentarch-cli&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcb' +
      '&scope=openid&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256';
    expect(asDocumented('/oauth/v2/authorize', 'get', await anonymous.get(begin)).status).toBe(303);
  });

  it(req('HTTP-01', 'documents tokens, introspection and revocation as they are'), async () => {
    const made = await admin.post('/v2/oauth/clients', {
      name: 'worker',
      type: 'confidential',
      redirect_uris: ['https://worker.example/cb'],
    });
    const { client_id: id, client_secret: secret } = made.json<{
      client_id: string;
      client_secret: string;
    }>();
    const proof = `${id}:${secret}`;
    const own = await form('/oauth/v2/token', { grant_type: 'client_credentials' }, proof);
    expect(asDocumented('/oauth/v2/token', 'post', own).status).toBe(200);
    const { access_token: token } = own.json<{ access_token: string }>();
    const known = await form('/oauth/v2/introspect', { token }, proof);
    expect(asDocumented('/oauth/v2/introspect', 'post', known).body).toMatchObject({ active: true });
    const gone = await form('/oauth/v2/revoke', { token }, proof);
    expect(asDocumented('/oauth/v2/revoke', 'post', gone).status).toBe(200);
    const after = await form('/oauth/v2/introspect', { token }, proof);
    expect(asDocumented('/oauth/v2/introspect', 'post', after).body).toEqual({ active: false });
    for (const template of ['/oauth/v2/token', '/oauth/v2/introspect', '/oauth/v2/revoke']) {
      expect(asDocumented(template, 'post', await form(template, {}, `${id}:wrong`)).status).toBe(401);
      expect(asDocumented(template, 'post', await anonymous.post(template, {})).status).toBe(415);
    }
    const par = '/oauth/v2/par';
    const pushed = {
      client_id: 'pentarch-cli',
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1:9/cb',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    };
    expect(asDocumented(par, 'post', await form(par, pushed)).status).toBe(201);
    expect(asDocumented(par, 'post', await form(par, { client_id: 'pentarch-cli' })).status).toBe(400);
    expect(asDocumented(par, 'post', await form(par, { client_id: 'nobody' })).status).toBe(401);
    const device = '/oauth/v2/device_authorization';
    const codes = await form(device, { client_id: 'pentarch-cli', scope: 'openid' });
    expect(asDocumented(device, 'post', codes).status).toBe(200);
    expect(asDocumented(device, 'post', await form(device, { client_id: 'none' })).status).toBe(401);
    expect(asDocumented(device, 'post', await form(device, {}, proof)).status).toBe(400);
    expect(asDocumented(device, 'post', await anonymous.post(device, {})).status).toBe(415);
    const page = '/oauth/v2/device';
    expect(asDocumented(page, 'get', await anonymous.get(page)).status).toBe(200);
    expect(asDocumented(page, 'post', await form(page, { xsrf: 'x', user_code: 'y' })).status).toBe(303);
    const grant = { grant_type: 'refresh_token', refresh_token: 'no', client_id: 'pentarch-cli' };
    expect(asDocumented('/oauth/v2/token', 'post', await form('/oauth/v2/token', grant)).status).toBe(400);
  });

  it(req('HTTP-01', 'documents machine keys as they are'), async () => {
    const account = await admin.post('/v2/users', { email: 'robot@example.com', type: 'service' });
    const at = `/management/v1/users/${account.json<{ id: string }>().id}/machine_keys`;
    const template = '/management/v1/users/{user_id}/machine_keys';
    const made = asDocumented(template, 'post', await admin.post(at, { type: 'KEY_TYPE_JSON' }));
    expect(made.status).toBe(200);
    expect(asDocumented(template, 'post', await admin.post(at, { type: 'OTHER' })).status).toBe(400);
    expect(asDocumented(template, 'get', await admin.get(at)).status).toBe(200);
    expect(asDocumented(template, 'get', await anonymous.get(at)).status).toBe(401);
    const unknown = at.replace(/users\/[^/]+/, 'users/0190a000-0000-7000-8000-000000000001');
    expect(asDocumented(template, 'get', await admin.get(unknown)).status).toBe(404);
    const key = `${at}/${made.json<{ keyId: string }>().keyId}`;
    const one = `${template}/{key_id}`;
    expect(asDocumented(one, 'delete', await admin.delete(key)).status).toBe(200);
    expect(asDocumented(one, 'delete', await admin.delete(key)).status).toBe(404);
  });
});
