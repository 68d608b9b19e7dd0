import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { buildConsole } from '../../../console/build.ts';
import type { Cuttable } from './cut.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

/**
 * The console in a real browser on a real server, for `server/test/all/console-*.test.ts`. Every page watches itself: what the
 * policy blocks, what is asked of another host, what is thrown; `expectQuiet` at the end says whether there was any.
 */
export interface ConsoleUnderTest {
  readonly server: TestServer;
  /** A fresh browser profile; closed with the rest. */
  open(options?: OpenOptions): Promise<ConsolePage>;
  close(): Promise<void>;
}

export interface OpenOptions {
  device?: 'desktop' | 'phone';
  theme?: 'light' | 'dark';
  /** Where to go after signing in. */
  path?: string;
  /** Default: the first admin. null: do not sign in. */
  as?: { email: string; password: string } | null;
}

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Complaints of the browser so far: policy, foreign requests, exceptions, console errors. */
  readonly complaints: string[];
  /** Findings of axe that are serious or critical, one line each. */
  axe(): Promise<string[]>;
  /** Kept in docs/console/ when SCREENSHOTS is set. */
  screenshot(name: string): Promise<void>;
}

/** The shell first: the same engine without the windows around its pages, for a fifth of their CPU time. */
const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const DEVICES: Readonly<Record<'desktop' | 'phone', BrowserContextOptions>> = {
  desktop: { viewport: { width: 1360, height: 860 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};
/** Below the test's own, so that a failure names what was waited for. */
const TIMEOUT_MS = 30_000;
const SHOTS = path.join(import.meta.dirname, '../../../docs/console');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

export const launch = (): Promise<Browser> => {
  const executablePath = CHROMIUM.find((file) => existsSync(file));
  if (executablePath === undefined) throw new Error('no Chromium (Debian: apt-get install chromium)');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
};

/** On the provider's own page. */
export const fillSignIn = async (page: Page, person: { email: string; password: string }): Promise<void> => {
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** In the window that a click opens beside the page; it closes by itself. */
export const signInBeside = async (
  page: Page,
  button: Locator,
  person: { email: string; password: string },
): Promise<void> => {
  const [beside] = await Promise.all([page.context().waitForEvent('page'), button.click()]);
  const closed = beside.waitForEvent('close');
  const password = beside.getByLabel('Password');
  await Promise.race([password.waitFor().catch(() => {}), closed]);
  if (!beside.isClosed()) await fillSignIn(beside, person);
  await closed;
};

const watch = (page: Page, origin: string, complaints: string[]): void => {
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== new URL(origin).host) {
      complaints.push(`request to another host: ${url.host}`);
    }
  });
};

const axe = async (page: Page): Promise<string[]> => {
  // Focus guards are left out: they pass the focus on and never keep it. By the debugger, which the policy does not bind.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run({ exclude: [['[data-base-ui-focus-guard]']] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as { violations: Finding[] };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
    );
};

export const startConsole = async ({
  through,
  ...options
}: ServerOptions & { through?: Cuttable } = {}): Promise<ConsoleUnderTest> => {
  await buildConsole({ ifStale: true });
  const env = { ...options.env, ...(through === undefined ? {} : { PUBLIC_URL: through.url }) };
  const [server, browser] = await Promise.all([startServer({ ...options, env }), launch()]);
  if (through !== undefined) through.target = server.url;
  const origin = through?.url ?? server.url;
  return {
    server,
    async open({ device = 'desktop', theme = 'light', path: start = '/', as = server.admin } = {}) {
      const context = await browser.newContext({
        ...DEVICES[device],
        colorScheme: theme,
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      const page = await context.newPage();
      const complaints: string[] = [];
      watch(page, origin, complaints);
      await page.goto(origin + start);
      if (as !== null) {
        await fillSignIn(page, as);
        await page.locator('#content').waitFor();
      }
      return {
        page,
        context,
        complaints,
        axe: () => axe(page),
        async screenshot(name) {
          if (process.env.SCREENSHOTS === undefined) return;
          mkdirSync(SHOTS, { recursive: true });
          await page.evaluate('document.fonts.ready');
          await page.screenshot({ path: path.join(SHOTS, `${name}.png`), animations: 'disabled' });
        },
      };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
};
