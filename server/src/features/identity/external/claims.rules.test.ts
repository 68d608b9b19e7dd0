import { describe, expect, it } from 'vitest';
import { personOf, platformAdminsOf, tenantSlugOf } from './claims.rules.ts';

/** The claim map of docs/security.md, "External providers". */

const API = { clientId: 'api', projectId: null };
const of = (claims: Record<string, unknown>) => personOf({ sub: '1', ...claims }, API);

describe('a person of an external provider', () => {
  it('has the first address that is one and nothing more', () => {
    expect(of({ email: 'ada@x.test', preferred_username: 'eve@x.test' })?.email).toBe('ada@x.test');
    expect(of({ preferred_username: 'ada@x.test' })?.email).toBe('ada@x.test');
    expect(of({ email: 7, username: 'ada@x.test' })?.email).toBe('ada@x.test');
    const exact = `${'a'.repeat(313)}@x.test`;
    expect(exact).toHaveLength(320);
    expect(of({ email: exact })?.email).toBe(exact);
    for (const email of [
      `a${exact}`,
      'ada',
      'ada@x.test,eve@x.test',
      'ada@x.test eve@x.test',
      'Ada <ada@x.test>',
      'a@b@c',
      '@x.test',
      'ada@\u0000',
      'ada@x.\ud800',
      ['ada@x.test'],
      null,
    ])
      expect([email, of({ email })?.email]).toEqual([email, '1@external.invalid']);
  });

  it('has a name, a user name or the subject, with at most 200 characters', () => {
    expect(of({ name: 'Ada', preferred_username: 'ada' })?.name).toBe('Ada');
    expect(of({ name: '', preferred_username: 'ada' })?.name).toBe('ada');
    expect(of({ username: 'ada2' })?.name).toBe('ada2');
    expect(of({ preferred_username: 'ada', username: 'ada2' })?.name).toBe('ada');
    expect(of({})?.name).toBe('1');
    const long = of({ name: '🐉'.repeat(300) })?.name ?? '';
    expect([...long]).toHaveLength(200);
    expect(long.isWellFormed()).toBe(true);
  });

  it('has a subject of at most 255 characters that every store can keep', () => {
    expect(personOf({ sub: 'x'.repeat(255) }, API)?.subject).toHaveLength(255);
    for (const sub of ['x'.repeat(256), '', 7, null, 'a\u0000', '\ud800'])
      expect([sub, personOf({ sub }, API)]).toEqual([sub, null]);
  });

  it('has roles of a plain list, of Keycloak’s realm or of its client, as far as they are texts', () => {
    expect(of({ roles: ['admin', 'king', 7] })).toMatchObject({
      roles: ['admin'],
      roleNames: ['admin', 'king'],
    });
    expect(of({ roles: 'admin' })?.roles).toBeNull();
    expect(of({ realm_access: { roles: ['user', 7] } })).toMatchObject({
      roles: ['user'],
      roleNames: ['user'],
    });
    expect(of({ resource_access: { api: { roles: ['operator'] } } })?.roles).toEqual(['operator']);
    expect(of({ realm_access: {}, resource_access: { other: { roles: ['admin'] } } })?.roles).toEqual([]);
    expect(of({ realm_access: 'x', resource_access: { api: 'y' } })?.roles).toBeNull();
  });

  it('has roles of Zitadel where its maps can be read', () => {
    const owner = { 'urn:zitadel:iam:user:resourceowner:id': '9' };
    const roles = (map: unknown) => of({ ...owner, 'urn:zitadel:iam:org:project:roles': map })?.roles;
    expect(roles([{ admin: { '9': 'x' } }, 'x', null])).toEqual(['admin']);
    expect(roles({ admin: null, user: 'x' })).toEqual([]);
    expect(roles('admin')).toEqual([]);
  });

  it('has permissions that exist', () => {
    expect(of({ permissions: ['audit:read', 'moon:walk', 7] })?.permissions).toEqual(['audit:read']);
    expect(of({ permissions: 'audit:read' })?.permissions).toEqual([]);
  });

  it('has an organisation with its name, or its id for a name', () => {
    const organisation = (claims: Record<string, unknown>) => of(claims)?.organisation;
    expect(organisation({ org_id: '9', org_name: 'Acme' })).toEqual({ id: '9', name: 'Acme' });
    expect(organisation({ org_id: '9' })).toEqual({ id: '9', name: '9' });
    const owner = 'urn:zitadel:iam:user:resourceowner';
    expect(organisation({ [`${owner}:id`]: '9', [`${owner}:name`]: 'Acme', org_id: '8' })).toEqual({
      id: '9',
      name: 'Acme',
    });
    expect(organisation({ [`${owner}:id`]: '9' })).toEqual({ id: '9', name: '9' });
    expect(organisation({ org_id: 'x'.repeat(255) })?.name).toHaveLength(200);
  });

  it('is not taken for somebody without an organisation where one is named: the claim is said', () => {
    expect(of({ organization: 7 })?.organisationFault).toContain('claim organization ');
    expect(of({ org_id: 7 })?.organisationFault).toContain('claim org_id ');
    const asked = { 'urn:zitadel:iam:user:resourceowner:id': '9', 'urn:zitadel:iam:org:id': 7 };
    // What cannot be read was not asked for.
    expect(of(asked)).toMatchObject({ organisation: { id: '9' }, organisationFault: null });
  });
});

it('platform administrators are subjects, and roles that are none of the platform’s own', () => {
  const { subjects, roles } = platformAdminsOf(['7', 'role:platform', 'role:admin', 'role:user']);
  expect([...subjects]).toEqual(['7']);
  expect([...roles]).toEqual(['platform']);
});

it('slugs have at most 40 characters, none of them a dash at an end', () => {
  expect(tenantSlugOf('a'.repeat(60))).toBe('a'.repeat(40));
  expect(tenantSlugOf(`${'a'.repeat(39)} b`)).toBe('a'.repeat(39));
  expect(tenantSlugOf('!!')).toBe('org');
});
