import { spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { launch } from '../support/console.ts';
import { ROOT } from '../support/doc-shell.ts';

/** The docs site as `npm run docs:site` builds it, served from its folder alone and looked at in a browser. */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

let home: string;
let dist: string;
let server: Server;
let url: string;
let browser: Browser;

const build = (docs: string, out: string): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve, reject) => {
    const { PATH = '', HOME = '' } = process.env;
    const program = path.join(ROOT, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
    const child = spawn(process.execPath, [program, 'build', docs, '--outDir', out], {
      cwd: path.dirname(docs),
      env: { PATH, HOME, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const add = (part: Buffer): void => {
      output += part.toString();
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'pentarch-site-'));
  dist = path.join(home, 'dist');
  const { code, output } = await build(path.join(ROOT, 'docs'), dist);
  expect(code, output).toBe(0);
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const name = decodeURIComponent(pathname);
    const file = path.join(dist, name.endsWith('/') ? `${name}index.html` : name);
    try {
      const bytes = readFileSync(file.startsWith(dist) ? file : dist);
      response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

it('has every page, and asks no other host', async () => {
  const built = globSync('**/*.html', { cwd: dist });
  const sources = globSync('{docs/**/*.md,sdk/*/README.md}', {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules',
  });
  expect(built.length).toBe(sources.length + 1);
  const page = await browser.newPage();
  const foreign: string[] = [];
  const broken: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) broken.push(response.url());
  });
  page.on('pageerror', (error) => broken.push(error.message));
  await page.goto(`${url}/`);
  const links = await page
    .locator('.VPSidebar a')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  expect(links.length).toBe(sources.length);
  for (const link of links) {
    await page.goto(`${url}${link}`);
    await expect.poll(() => page.locator('main h1').count()).toBeGreaterThan(0);
  }
  expect(broken).toEqual([]);
  expect(foreign).toEqual([]);
  await page.close();
});

it('leads from start to use, operate, reference and decisions, and finds words', async () => {
  const page = await browser.newPage();
  await page.goto(`${url}/`);
  const groups = await page.locator('.VPSidebar .group h2').allTextContents();
  expect(groups.map((text) => text.trim())).toEqual(['Start', 'Use', 'Operate', 'Reference', 'Decisions']);
  await page.locator('.VPSidebar').getByText('Governance', { exact: true }).click();
  await expect.poll(() => page.locator('main h1').textContent()).toContain('Governance');
  await page.keyboard.press('Control+k');
  await page.locator('input[type=search]').fill('passphrase');
  await expect.poll(() => page.locator('.VPLocalSearchBox .result').count()).toBeGreaterThan(0);
  await page.close();
});

it('is not built where a link leads nowhere', async () => {
  const root = path.join(home, 'broken');
  mkdirSync(root);
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  cpSync(path.join(ROOT, 'package.json'), path.join(root, 'package.json'));
  cpSync(path.join(ROOT, 'docs'), path.join(root, 'docs'), {
    recursive: true,
    filter: (source) => !/\.vitepress\/(dist|cache)/.test(source),
  });
  cpSync(path.join(ROOT, 'sdk'), path.join(root, 'sdk'), {
    recursive: true,
    filter: (source) => !source.includes('node_modules'),
  });
  writeFileSync(path.join(root, 'docs', 'costs.md'), '# Costs\n\n[somewhere](nowhere.md)\n');
  const { code, output } = await build(path.join(root, 'docs'), path.join(home, 'broken-dist'));
  expect(code).not.toBe(0);
  expect(output).toContain('dead link');
});
