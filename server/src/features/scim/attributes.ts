/**
 * What is kept of a person and a group (RFC 7643), and nothing beyond: addresses, pictures and the like are dropped. The same
 * table validates what comes, drives PATCH and is what `/Schemas` publishes.
 */

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

export interface Attribute {
  name: string;
  type: 'string' | 'boolean' | 'complex' | 'reference';
  description: string;
  multiValued?: true;
  required?: true;
  caseExact?: true;
  mutability?: 'readOnly' | 'immutable';
  uniqueness?: 'server';
  canonicalValues?: readonly string[];
  subAttributes?: readonly Attribute[];
  /** Of a reference. */
  referenceTypes?: readonly string[];
}

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});

const many = (name: string, description: string, types: readonly string[]): Attribute => ({
  name,
  type: 'complex',
  multiValued: true,
  description,
  subAttributes: [
    text('value', 'The value itself'),
    text('display', 'A name for it'),
    text('type', 'What it is for', { canonicalValues: types }),
    { name: 'primary', type: 'boolean', description: 'The one that goes first' },
  ],
});

export const USER_ATTRIBUTES: readonly Attribute[] = [
  text('userName', 'Name in the directory, mostly an e-mail address', {
    required: true,
    uniqueness: 'server',
  }),
  {
    name: 'name',
    type: 'complex',
    description: 'Parts of the name',
    subAttributes: [
      text('formatted', 'The whole name'),
      text('familyName', 'Family name'),
      text('givenName', 'Given name'),
      text('middleName', 'Middle names'),
      text('honorificPrefix', 'Title before the name'),
      text('honorificSuffix', 'Title after the name'),
    ],
  },
  text('displayName', 'Name as it is shown'),
  text('nickName', 'What the person is called'),
  text('title', 'Position'),
  text('userType', 'Kind of employment'),
  text('preferredLanguage', 'Language'),
  text('locale', 'Place for forms of numbers and dates'),
  text('timezone', 'Time zone'),
  { name: 'active', type: 'boolean', description: 'Whether the person may come in' },
  many('emails', 'E-mail addresses; the primary one is the account’s', ['work', 'home', 'other']),
  many('phoneNumbers', 'Telephone numbers', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
  {
    name: 'groups',
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    description: 'Groups of the person',
    subAttributes: [
      text('value', 'Id of the group', { mutability: 'readOnly' }),
      {
        name: '$ref',
        type: 'reference',
        description: 'Address of the group',
        mutability: 'readOnly',
        referenceTypes: ['Group'],
      },
      text('display', 'Its name', { mutability: 'readOnly' }),
    ],
  },
];

export const ENTERPRISE_ATTRIBUTES: readonly Attribute[] = [
  text('employeeNumber', 'Number of the employee'),
  text('costCenter', 'Cost centre'),
  text('organization', 'Organisation'),
  text('division', 'Division'),
  text('department', 'Department'),
];

export const GROUP_ATTRIBUTES: readonly Attribute[] = [
  text('displayName', 'Name of the group', { required: true, uniqueness: 'server' }),
  {
    name: 'members',
    type: 'complex',
    multiValued: true,
    description: 'People of the group',
    subAttributes: [
      text('value', 'Id of the person', { mutability: 'immutable' }),
      {
        name: '$ref',
        type: 'reference',
        description: 'Address of the person',
        mutability: 'immutable',
        referenceTypes: ['User'],
      },
      text('type', 'Always User', { mutability: 'immutable', canonicalValues: ['User'] }),
    ],
  },
];

/** Of every resource; not in the published schemas. */
export const EXTERNAL_ID: Attribute = text('externalId', 'Id in the directory', { caseExact: true });

/** A kind of resource with its own attributes and those of its extension. */
export interface ResourceKind {
  name: 'User' | 'Group';
  schema: string;
  attributes: readonly Attribute[];
  extension?: { schema: string; attributes: readonly Attribute[] };
}

export const USER: ResourceKind = {
  name: 'User',
  schema: USER_SCHEMA,
  attributes: [EXTERNAL_ID, ...USER_ATTRIBUTES],
  extension: { schema: ENTERPRISE_SCHEMA, attributes: ENTERPRISE_ATTRIBUTES },
};

export const GROUP: ResourceKind = {
  name: 'Group',
  schema: GROUP_SCHEMA,
  attributes: [EXTERNAL_ID, ...GROUP_ATTRIBUTES],
};

export type Resource = Record<string, unknown>;

export const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const named = (attributes: readonly Attribute[], name: string): Attribute | undefined => {
  const folded = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === folded);
};
