import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../../commands/archive/secrets.ts';
import { openPlatformKeys } from '../../identity/index.ts';
import { carriedPushConfig } from './carried.ts';
import { pushFault } from './rules.ts';
import { openSecrets, sealedSecrets } from './secrets.ts';

const config = (more: object = {}): TaskPushNotificationConfig => ({
  tenant: '',
  taskId: 't',
  id: '',
  url: 'https://hooks.example.com/',
  token: '',
  authentication: undefined,
  ...more,
});
const anywhere = (): null => null;

describe('a push notification configuration', () => {
  it.each([
    [{}, null],
    [{ token: 'two words' }, null],
    [{ authentication: { scheme: 'Bearer', credentials: 'abc' } }, null],
    [{ url: '' }, /^url must be/],
    [{ url: undefined }, /^url must be/],
    [{ url: 5 }, /^url must be/],
    [{ url: `https://x.test/${'x'.repeat(2_048)}` }, /^url must be/],
    [{ id: 'x'.repeat(129) }, /^id must be/],
    [{ token: ' a' }, /^token must be/],
    [{ token: 'a\r\nb: c' }, /^token must be/],
    [{ token: 'ä' }, /^token must be/],
    [{ token: 'x'.repeat(4_097) }, /^token must be/],
    [{ authentication: { scheme: '', credentials: 'x' } }, /scheme/],
    [{ authentication: { scheme: 'Bearer x', credentials: 'x' } }, /scheme/],
    [{ authentication: { scheme: 'Bearer', credentials: '' } }, /credentials are missing/],
    [{ authentication: { scheme: 'Bearer', credentials: 'x\ny' } }, /credentials must be/],
  ])('%j', (more, fault) => {
    const found = pushFault(config(more), anywhere);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatch(fault);
  });

  it('may not lead where the platform does not call', () => {
    expect(pushFault(config(), () => 'leads into a private network')).toBe(
      'url leads into a private network',
    );
  });

  const credential = JSON.stringify({
    v: 1,
    kind: 'jwt',
    keyId: null,
    whole: true,
    permissions: [],
    added: [],
  });
  const row = {
    id: 'c',
    tenant_id: 't',
    url: 'https://hooks.example.com/',
    protocol: '1.0',
    credential,
    due: 5,
    end_reason: null,
    created_at: 1,
    finished_at: null,
  };

  it('of another installation is kept, and ends where its address may not be called', () => {
    expect(carriedPushConfig(row, anywhere)).toEqual({ row, fault: null });
    expect(carriedPushConfig(row, () => 'is private')).toEqual({
      row: { ...row, due: null, end_reason: 'not_allowed', finished_at: 1 },
      fault: 'is private',
    });
    const ended = { ...row, finished_at: 2 };
    expect(carriedPushConfig(ended, () => 'is private')).toEqual({ row: ended, fault: null });
  });

  it.each([{ credential: null }, { credential: '{"v":2}' }, { protocol: '9' }])(
    'of another installation is refused with %j',
    (more) => {
      expect(() => carriedPushConfig({ ...row, ...more }, anywhere)).toThrow('notifications of a task');
    },
  );

  it('keeps its secrets sealed to its place, and an archive carries them in the clear of its own', () => {
    const keysOf = (platformKey: string) =>
      openPlatformKeys({ dataDir: '/nowhere', platformKey, previousKey: null });
    const here = createSecrets(keysOf('the platform key of here, long enough'));
    const there = createSecrets(keysOf('the platform key of there, long enough'));
    const place = { tenant_id: 't', id: 'c' };
    const plain = '{"token":"known","credentials":""}';
    const sealed = here.sealed('a2a_push_configs', { ...place, secrets: plain });
    expect(String(sealed.secrets)).not.toContain('known');
    expect(here.opened('a2a_push_configs', sealed)).toEqual({ ...place, secrets: plain });
    expect(() => here.opened('a2a_push_configs', { ...sealed, id: 'another' })).toThrow();
    expect(() => there.opened('a2a_push_configs', sealed)).toThrow();
    const box = { seal: (text: string) => text, open: (text: string) => text };
    expect(sealedSecrets(box, place, { token: '', credentials: '' })).toBeNull();
    const kept = sealedSecrets(box, place, { token: 'a', credentials: 'b' });
    expect(openSecrets(box, { ...place, secrets: kept })).toEqual({ token: 'a', credentials: 'b' });
  });
});
