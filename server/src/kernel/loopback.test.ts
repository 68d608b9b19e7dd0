import { expect, test } from 'vitest';
import { addressAsAsked, isSameOrigin } from './loopback.ts';

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

test('the address is told as it was asked for, and never as one of another origin', () => {
  const own = 'http://127.0.0.1:8080/base';
  expect(addressAsAsked('localhost:8080', own)).toBe('http://localhost:8080/base');
  for (const host of [
    undefined,
    '',
    'evil.example:8080',
    'localhost:81',
    'localhost:8080/x',
    'a@localhost:8080',
  ])
    expect(addressAsAsked(host, own), host).toBe(own);
  expect(addressAsAsked('localhost', 'https://pentarch.example')).toBe('https://pentarch.example');
});
