import { Type } from 'typebox';
import {
  AnyObject,
  Nullable,
  Page,
  ShownOnce,
  Strict,
  StringEnum,
  secretWithheld,
  Timestamp,
} from '../../../kernel/schema.ts';

const fields = {
  client_id: Type.String(),
  name: Type.String(),
  type: StringEnum(['public', 'confidential']),
  redirect_uris: Type.Array(Type.String()),
  post_logout_redirect_uris: Type.Array(Type.String()),
  device_flow: Type.Boolean({ description: 'Signs people in by a code that they type on another device' }),
  service_user_id: Nullable(Type.String(), {
    description: 'The service account that a confidential client acts as with client_credentials',
  }),
  created_at: Timestamp(),
};

export const OauthClient = Type.Object(fields);
export const OauthClientCreated = Type.Object({
  ...fields,
  client_secret: Type.Optional(ShownOnce('Shown only now; none for clients with keys')),
  secret_withheld: secretWithheld(),
});
export const OauthClientPage = Page(OauthClient);

export const NewOauthClient = Strict({
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  type: StringEnum(['public', 'confidential']),
  redirect_uris: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { maxItems: 20, uniqueItems: true }),
  ),
  post_logout_redirect_uris: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Where people may be sent after a sign-out, compared exactly',
    }),
  ),
  device_flow: Type.Optional(
    Type.Boolean({ description: 'May sign people in by the device flow (RFC 8628)', default: false }),
  ),
  jwks: Type.Optional(
    Strict(
      { keys: Type.Array(AnyObject(), { minItems: 1, maxItems: 10 }) },
      { description: 'Public keys of a confidential client that authenticates by private_key_jwt' },
    ),
  ),
});

export const ClientParams = Strict({ client_id: Type.String({ minLength: 1, maxLength: 128 }) });
