import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { isAllowedAddress, isPublicAddress } from './addresses.ts';
import { checkOutgoingUrl, createGuardedFetch } from './guarded-fetch.ts';

interface Case {
  url?: string;
  class: string;
  why: string;
  expect: 'block' | 'allow' | 'block_or_public_host_only';
}

const { cases } = JSON.parse(
  readFileSync(new URL('../../../test/cases/ssrf-urls.json', import.meta.url), 'utf8'),
) as { cases: Case[] };
const withUrl = cases.filter((row): row is Case & { url: string } => row.url !== undefined);

const causes = (error: unknown): string => {
  const parts: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) parts.push(`${at.name}: ${at.message}`);
  return parts.join(' <- ');
};

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const serve = async (listener: RequestListener): Promise<number> => {
  const server: Server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
};

const guarded = (options: Parameters<typeof createGuardedFetch>[0]) => {
  const outgoing = createGuardedFetch(options);
  closers.push(() => outgoing.close());
  return outgoing;
};

/** A resolver that says what the test wants. */
const resolving =
  (...addresses: string[]): LookupFunction =>
  (_hostname, options, callback) => {
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };

describe('addresses that a user names', () => {
  it.each(withUrl.filter((row) => row.expect === 'block'))('refuses $url ($why)', ({ url }) => {
    expect(checkOutgoingUrl(url, { allowPrivate: false })).not.toBeNull();
  });

  it.each(withUrl.filter((row) => row.expect === 'allow'))('takes $url ($why)', ({ url }) => {
    expect(checkOutgoingUrl(url, { allowPrivate: false })).toBeNull();
  });

  it.each(withUrl.filter((row) => row.expect === 'block_or_public_host_only'))(
    'refuses $url or sees its public host',
    ({ url }) => {
      const reason = checkOutgoingUrl(url, { allowPrivate: false });
      if (reason === null) expect(new URL(url).hostname).toBe('public.test');
    },
  );

  it('holds all rows of the case file', () => {
    expect(withUrl.length + cases.filter((row) => row.class === 'fixture').length).toBe(cases.length);
    expect(cases.length).toBeGreaterThan(80);
  });

  it('refuses plain http where https is asked for', () => {
    expect(checkOutgoingUrl('http://example.com/', { allowPrivate: false, requireHttps: true })).toMatch(
      /https/,
    );
    expect(checkOutgoingUrl('https://example.com/', { allowPrivate: false, requireHttps: true })).toBeNull();
  });

  it('keeps link-local and metadata addresses closed in development too', () => {
    for (const address of [
      '169.254.169.254',
      'fe80::1',
      'fd00:ec2::254',
      'fd00:ec2::23',
      'fd20:ce::254',
      'fd00:42::42',
      '168.63.129.16',
      '::ffff:168.63.129.16',
      '0.0.0.0',
      '224.0.0.1',
      '100.100.100.200',
    ]) {
      expect(isAllowedAddress(address, true), address).toBe(false);
    }
    for (const address of ['127.0.0.1', '::1', '10.1.2.3', '192.168.1.1', 'fd12::1']) {
      expect(isAllowedAddress(address, true), address).toBe(true);
    }
  });

  it('counts a metadata service on a public-looking address as none that is public', () => {
    expect(isPublicAddress('168.63.129.16')).toBe(false);
    expect(isPublicAddress('168.63.129.17')).toBe(true);
    expect(checkOutgoingUrl('http://168.63.129.16/metadata', { allowPrivate: true })).not.toBeNull();
  });

  it('never takes an IPv6 form that carries an IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'), (v4, prefix) => {
        expect(isPublicAddress(prefix + v4)).toBe(false);
      }),
    );
  });
});

describe('guarded fetch', () => {
  it('checks what a name resolves to at the time of connecting', async () => {
    let hits = 0;
    const port = await serve((_request, response) => {
      hits++;
      response.end('inside');
    });
    const outgoing = guarded({ allowPrivate: false, lookup: resolving('127.0.0.1') });
    const failure = await outgoing.fetch(`http://public.test:${port}/`).catch(causes);
    expect(failure).toContain('OutgoingRefused');
    expect(hits).toBe(0);
  });

  it('does not let a rebinding name in that was harmless at the first question', async () => {
    let hits = 0;
    const port = await serve((_request, response) => {
      hits++;
      response.end();
    });
    const answers = ['203.0.113.7', '127.0.0.1'];
    const lookup: LookupFunction = (hostname, options, callback) =>
      resolving(answers.shift() ?? '127.0.0.1')(hostname, options, callback);
    const outgoing = guarded({ allowPrivate: false, lookup });
    expect(outgoing.check(`http://rebind.test:${port}/`)).toBeNull();
    for (let i = 0; i < 3; i++) {
      expect(await outgoing.fetch(`http://rebind.test:${port}/`).catch(causes)).toContain('OutgoingRefused');
    }
    expect(hits).toBe(0);
  });

  it('reaches loopback when that is allowed', async () => {
    const port = await serve((_request, response) => response.end('inside'));
    const outgoing = guarded({ allowPrivate: true });
    expect(await (await outgoing.fetch(`http://127.0.0.1:${port}/`)).text()).toBe('inside');
    expect(await (await outgoing.fetch(`http://localhost:${port}/`)).text()).toBe('inside');
  });

  it.each([301, 302, 307, 308])('does not follow a %i', async (status) => {
    let canary = 0;
    const canaryPort = await serve((_request, response) => {
      canary++;
      response.end();
    });
    const port = await serve((_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${canaryPort}/` }).end(),
    );
    const outgoing = guarded({ allowPrivate: true });
    const response = await outgoing.fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' });
    expect(response.status).toBe(status);
    expect(canary).toBe(0);
  });

  it('gives up on a server that accepts and never answers', async () => {
    const port = await serve(() => {});
    const outgoing = guarded({ allowPrivate: true, headersTimeoutMs: 300 });
    expect(await outgoing.fetch(`http://127.0.0.1:${port}/`).catch(causes)).toMatch(/HeadersTimeout/);
  });

  it('gives up on a body that falls silent', async () => {
    const port = await serve((_request, response) => {
      response.write('x');
    });
    const outgoing = guarded({ allowPrivate: true, bodyTimeoutMs: 300 });
    const response = await outgoing.fetch(`http://127.0.0.1:${port}/`);
    expect(await response.text().catch(causes)).toMatch(/BodyTimeout/);
  });

  it('reports a reset as a failure', async () => {
    const port = await serve((request) => request.socket.resetAndDestroy());
    const outgoing = guarded({ allowPrivate: true });
    await expect(outgoing.fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it('cuts a body that is too large', async () => {
    const port = await serve((_request, response) => response.end(Buffer.alloc(4096)));
    const outgoing = guarded({ allowPrivate: true, maxBodyBytes: 1024 });
    const response = await outgoing.fetch(`http://127.0.0.1:${port}/`);
    await expect(response.arrayBuffer()).rejects.toThrow(/larger than 1024/);
  });

  it('lets an event stream go on for ever, but not one event of it', async () => {
    const event = `data: ${'x'.repeat(500)}\n\n`;
    const port = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(request.url === '/many' ? event.repeat(20) : `data: ${'x'.repeat(5_000)}`);
    });
    const outgoing = guarded({ allowPrivate: true, maxBodyBytes: 1024 });
    const many = await outgoing.fetch(`http://127.0.0.1:${port}/many`);
    expect(await many.text()).toBe(event.repeat(20));
    const endless = await outgoing.fetch(`http://127.0.0.1:${port}/one`);
    await expect(endless.text()).rejects.toThrow(/larger than 1024/);
  });
});
