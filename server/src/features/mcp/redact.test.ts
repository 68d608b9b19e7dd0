import { describe, expect, it } from 'vitest';
import { redactorOf } from './endpoint.ts';

describe('what others may read of a server', () => {
  it('holds none of its configured values', () => {
    const redact = redactorOf({
      transport: 'stdio',
      command: 'run-server',
      args: ['--token=argument-secret'],
      env: { API_KEY: 'environment-secret' },
    });
    const text = redact(
      'internal with environment-secret, started with --token=argument-secret or argument-secret',
    );
    expect(text).not.toMatch(/environment-secret|argument-secret/);
  });
});
