import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig, publicUrl } from './config.ts';

const load = (environment: Record<string, string>) => loadConfig(environment, `${tmpdir()}/no-such-folder`);

describe('settings', () => {
  it('have defaults that serve on loopback', () => {
    const config = load({});
    expect(config.HOST).toBe('127.0.0.1');
    expect(publicUrl(config, 8080)).toBe('http://127.0.0.1:8080');
  });

  it('name the setting, its value and what would be right, all faults at once', () => {
    expect(() => load({ PORT: '80a', RATE_FREE: '60', LOG_LEVEL: 'loud' })).toThrow(
      /PORT="80a".*whole number from 0 to 65535[\s\S]*RATE_FREE="60".*60:10[\s\S]*LOG_LEVEL="loud"/,
    );
  });

  it('take mail servers under smtp:// and smtps:// alone, and show no password of others', () => {
    for (const SMTP_URL of [
      'mail.test',
      'mail.test:587',
      'https://me:hunter2@mail.test',
      'smtp://',
      'smtp:mail.test',
    ]) {
      expect(() => load({ SMTP_URL }), SMTP_URL).toThrow(/^SMTP_URL is wrong.*smtps:\/\/host:port$/);
    }
    expect(load({ SMTP_URL: 'smtps://me:secret@[::1]:465' }).SMTP_URL).toBe('smtps://me:secret@[::1]:465');
  });

  it('take as proxies what can be one, and never everybody', () => {
    for (const TRUST_PROXY of [
      'true',
      '1',
      'proxy.test',
      '10.0.0.0/33',
      '::/129',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.1, *',
      '10.0.0.0/8/8',
    ])
      expect(() => load({ TRUST_PROXY }), TRUST_PROXY).toThrow(/TRUST_PROXY=.*never all addresses/);
    const right = ['10.20.1.0/28', '::1', 'fd00::/64', 'loopback'];
    expect(load({ TRUST_PROXY: right.join(', ') }).TRUST_PROXY).toEqual(right);
    expect(load({ TRUST_PROXY: '' }).TRUST_PROXY).toEqual([]);
  });

  it('never show a secret in a fault', () => {
    try {
      load({ HOST: '0.0.0.0', ADMIN_PASSWORD: 'hunter2' });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).not.toContain('hunter2');
    }
  });
});
