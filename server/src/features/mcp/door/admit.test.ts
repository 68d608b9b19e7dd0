import { expect, test } from 'vitest';
import { isSameOrigin } from './admit.ts';

test('the names of this machine are one origin on one port, and nothing else is', () => {
  const own = 'http://127.0.0.1:8080';
  for (const origin of [own, 'http://localhost:8080', 'http://[::1]:8080'])
    expect(isSameOrigin(origin, own), origin).toBe(true);
  for (const origin of [
    'http://localhost',
    'http://localhost:8081',
    'https://localhost:8080',
    'http://localhost.evil.example:8080',
    'http://evil.example:8080',
    'http://127.0.0.2:8080',
    'http://localhost:8080/',
    'http://a@localhost:8080',
    'null',
    '',
  ])
    expect(isSameOrigin(origin, own), origin).toBe(false);
  expect(isSameOrigin('http://localhost', 'https://pentarch.example')).toBe(false);
  expect(isSameOrigin('https://localhost', 'https://pentarch.example')).toBe(false);
});
