import { listAnswer, MAX_COUNT } from './answers.ts';
import {
  type Attribute,
  ENTERPRISE_ATTRIBUTES,
  ENTERPRISE_SCHEMA,
  GROUP_ATTRIBUTES,
  GROUP_SCHEMA,
  type Resource,
  USER_ATTRIBUTES,
  USER_SCHEMA,
} from './attributes.ts';

/** What the server can do, for clients that ask (RFC 7643, sections 5 to 7). */

const attributeView = (attribute: Attribute): Resource => ({
  name: attribute.name,
  type: attribute.type,
  multiValued: attribute.multiValued === true,
  description: attribute.description,
  required: attribute.required === true,
  mutability: attribute.mutability ?? 'readWrite',
  returned: 'default',
  ...(attribute.type === 'boolean' || attribute.type === 'complex'
    ? {}
    : { caseExact: attribute.caseExact === true || attribute.type === 'reference' }),
  uniqueness: attribute.uniqueness ?? 'none',
  ...(attribute.canonicalValues === undefined ? {} : { canonicalValues: attribute.canonicalValues }),
  ...(attribute.referenceTypes === undefined ? {} : { referenceTypes: attribute.referenceTypes }),
  ...(attribute.subAttributes === undefined
    ? {}
    : { subAttributes: attribute.subAttributes.map(attributeView) }),
});

const schema = (base: string, id: string, name: string, attributes: readonly Attribute[]): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description: name,
  attributes: attributes.map(attributeView),
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
});

export const schemasOf = (base: string): Resource[] => [
  schema(base, USER_SCHEMA, 'User', USER_ATTRIBUTES),
  schema(base, ENTERPRISE_SCHEMA, 'EnterpriseUser', ENTERPRISE_ATTRIBUTES),
  schema(base, GROUP_SCHEMA, 'Group', GROUP_ATTRIBUTES),
];

const resourceType = (base: string, name: 'User' | 'Group', id: string, more: Resource): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  description: name === 'User' ? 'People' : 'Groups of people',
  endpoint: `/${name}s`,
  schema: id,
  ...more,
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
});

export const resourceTypesOf = (base: string): Resource[] => [
  resourceType(base, 'User', USER_SCHEMA, {
    schemaExtensions: [{ schema: ENTERPRISE_SCHEMA, required: false }],
  }),
  resourceType(base, 'Group', GROUP_SCHEMA, {}),
];

export const providerConfig = (base: string): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'An API key with the permission scim:manage, sent as a bearer token',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

export const listOf = (resources: Resource[]): Resource => listAnswer(resources, resources.length, 1);
