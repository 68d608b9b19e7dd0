import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { Command } from 'commander';
import { authorizeUrl, createClient, createPkce, exchangeCode, staticToken } from 'pentarch-sdk';
import { type Context, checkedUrl, DEFAULT_URL } from '../context.ts';
import { deviceLogin } from '../device-login.ts';
import { CliError, usage } from '../errors.ts';
import { CLIENT_ID, type Credentials, replaceProfile } from '../profiles.ts';
import { openLines, secretFromInput } from '../prompt.ts';
import { argument, flagOption, type Shell, textOption } from '../shell.ts';
import { sessionOf } from '../sign-in.ts';

/** Signing in and out, and the profiles that remember it. */

const PAGE = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body style="font:16px system-ui;margin:4rem"><h1>${title}</h1><p>${text}</p></body></html>`;

interface Landing {
  readonly redirectUri: string;
  /** What the browser brought back. */
  readonly back: Promise<URLSearchParams>;
  close(): void;
}

/** A page on loopback that the browser is sent back to (RFC 8252, section 7.3). */
const openLanding = (): Promise<Landing> =>
  new Promise((resolve, reject) => {
    const back = Promise.withResolvers<URLSearchParams>();
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader('connection', 'close');
      if (url.pathname !== '/callback') {
        response.statusCode = 404;
        response.end(PAGE('Nothing here', 'The command line waits for /callback.'));
        return;
      }
      const failed = url.searchParams.has('error');
      response.end(
        failed
          ? PAGE('Not signed in', 'The terminal tells why.')
          : PAGE('Signed in', 'You can close this page and go back to the terminal.'),
      );
      back.resolve(url.searchParams);
    });
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no port'));
      resolve({
        redirectUri: `http://127.0.0.1:${address.port}/callback`,
        back: back.promise,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });

const BROWSERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

const openBrowser = (url: string): void => {
  const [command, ...args] = BROWSERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  // No browser here: the address stands in the terminal.
  child.once('error', () => {});
  child.unref();
};

/** What was pasted: the whole address that the browser was sent to, or the code alone. */
const pasted = (line: string): URLSearchParams => {
  const text = line.trim();
  return text.includes('?')
    ? new URLSearchParams(text.slice(text.indexOf('?') + 1))
    : new URLSearchParams({ code: text });
};

interface Provider {
  readonly authUrl: string | null;
  readonly clientId: string;
  readonly scope: string | undefined;
}

const ASKING_MS = 10_000;

/** Where the server says that people sign in; of a server that says nothing of it, at itself. */
const providerOf = async (url: string): Promise<Provider> => {
  const itself = { authUrl: null, clientId: CLIENT_ID, scope: undefined };
  let said: unknown;
  try {
    const answer = await fetch(`${url}/console/config.json`, { signal: AbortSignal.timeout(ASKING_MS) });
    said = answer.ok ? await answer.json() : null;
  } catch {
    // The sign-in itself tells why the server cannot be reached.
    return itself;
  }
  if (typeof said !== 'object' || said === null || !('issuer' in said)) return itself;
  const { issuer } = said;
  const clientId = 'cli_client_id' in said ? said.cli_client_id : undefined;
  const scope = 'scopes' in said ? said.scopes : undefined;
  return {
    authUrl: typeof issuer === 'string' ? checkedUrl(issuer) : null,
    clientId: typeof clientId === 'string' ? clientId : CLIENT_ID,
    scope: typeof scope === 'string' ? scope : undefined,
  };
};

const browserLogin = async (
  { out, runtime }: Context,
  url: string,
  provider: Provider,
  browser: boolean,
): Promise<Credentials> => {
  const authUrl = provider.authUrl ?? url;
  const { clientId, scope } = provider;
  const landing = await openLanding();
  const stopped = new AbortController();
  const forget = runtime.onInterrupt(() => stopped.abort());
  const lines = browser ? null : openLines(runtime, () => stopped.abort());
  try {
    const pkce = await createPkce();
    const address = authorizeUrl({
      authUrl,
      clientId,
      redirectUri: landing.redirectUri,
      pkce,
      ...(scope === undefined ? {} : { scope }),
    });
    out.status(`Sign in here:\n\n  ${address}\n\n`);
    if (browser) openBrowser(address);
    else out.status('On another machine: paste the address that the browser ends at.\n');
    const interrupted = new Promise<null>((resolve) => {
      stopped.signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    // The end of a closed input is no answer: the browser may still come back.
    const typed = lines
      ?.next('> ', stopped.signal)
      .then((line) => (line === null ? interrupted : pasted(line)));
    const back = await Promise.race([landing.back, interrupted, ...(typed === undefined ? [] : [typed])]);
    if (back === null) throw new CliError('interrupted', 130, null, 'CANCELLED');
    const error = back.get('error');
    if (error !== null) {
      throw new CliError(`the sign-in was refused: ${back.get('error_description') ?? error}`, 3);
    }
    const state = back.get('state');
    if (state !== null && state !== pkce.state) {
      throw new CliError('the answer belongs to another sign-in', 3, 'begin again with "pentarch login"');
    }
    const tokens = await exchangeCode({
      authUrl,
      clientId,
      redirectUri: landing.redirectUri,
      code: back.get('code') ?? '',
      verifier: pkce.verifier,
    });
    return sessionOf('oauth', tokens, runtime.now(), provider);
  } finally {
    forget();
    lines?.close();
    landing.close();
  }
};

const chosenProvider = async (command: Command, url: string): Promise<Provider> => {
  const said = await providerOf(url);
  const authUrl = textOption(command, 'authUrl');
  return {
    authUrl: authUrl === undefined ? said.authUrl : checkedUrl(authUrl),
    clientId: textOption(command, 'clientId') ?? said.clientId,
    scope: textOption(command, 'scope') ?? said.scope,
  };
};

/** A person signs in: in a browser of this machine, or on any device. */
const personLogin = async (command: Command, context: Context, url: string): Promise<Credentials> => {
  const provider = await chosenProvider(command, url);
  return flagOption(command, 'device')
    ? deviceLogin(context, url, provider)
    : browserLogin(context, url, provider, command.opts().browser !== false);
};

const nameOf = (url: string): string => new URL(url).host.replace(/[^\w.-]/g, '-');

const login = async (command: Command, context: Context): Promise<void> => {
  const { runtime, store, out, globals } = context;
  const known = store.read();
  const name = globals.profile ?? (globals.url === undefined ? known.current : null);
  const url = checkedUrl(
    globals.url ??
      (name === null ? undefined : known.profiles[name]?.url) ??
      runtime.env.PENTARCH_URL ??
      DEFAULT_URL,
  );
  const email = textOption(command, 'email');
  const api = createClient({ baseUrl: url });
  let credentials: Credentials;
  if (email !== undefined) {
    if (!flagOption(command, 'passwordStdin')) {
      throw usage(
        '--email needs --password-stdin',
        'printf %s "$PASSWORD" | pentarch login --email … --password-stdin',
      );
    }
    const password = await secretFromInput(runtime, 'password');
    credentials = sessionOf('session', await api.auth.login({ email, password }), runtime.now());
  } else if (flagOption(command, 'tokenStdin')) {
    credentials = { kind: 'token', token: await secretFromInput(runtime, 'token') };
  } else {
    const token = textOption(command, 'token');
    credentials = token === undefined ? await personLogin(command, context, url) : { kind: 'token', token };
  }
  const bearer =
    credentials.kind === 'token'
      ? credentials.token
      : credentials.kind === 'none'
        ? ''
        : credentials.accessToken;
  const me = await createClient({ baseUrl: url, auth: staticToken(bearer) }).auth.getMe();
  const profile = name ?? nameOf(url);
  await store.change((all) => ({
    ...replaceProfile(all, profile, { url, email: me.email, credentials }),
    current: profile,
  }));
  out.done(`signed in at ${url} as ${me.email}, profile ${profile}`, { profile, url, email: me.email });
};

const loginCommand = (shell: Shell): Command => {
  const command = new Command('login')
    .description('Sign in and remember it in a profile')
    .option('--no-browser', 'print the address only; the answer may be pasted')
    .option('--device', 'show a code to give on a page of any device, for machines without a browser')
    .option('--email <address>', 'sign in by password')
    .option('--password-stdin', 'read the password from standard input')
    .option('--token <token>', 'keep an API key or personal token (shows in the list of processes)')
    .option('--token-stdin', 'read the token from standard input')
    .option('--auth-url <url>', 'an identity provider other than the one that the server names')
    .option('--client-id <id>', 'the client at the identity provider')
    .option(
      '--scope <scopes>',
      'scopes to ask the identity provider for, in place of those that the server names',
    )
    .action(() => login(command, shell.open(command, { newProfile: true })));
  return shell.finish(command, [
    'login --url https://agents.example.com',
    'login --no-browser',
    'login --device',
    'printf %s "$PASSWORD" | pentarch login --email ada@example.com --password-stdin',
    'pentarch login --profile ci --token-stdin < key.txt',
  ]);
};

const logoutCommand = (shell: Shell): Command => {
  const command = new Command('logout').description('End the sign-in and forget it').action(async () => {
    const { target, store, client, out } = shell.open(command);
    const name = target.profile;
    const profile = name === null ? undefined : store.read().profiles[name];
    if (name === null || profile === undefined) throw new CliError('not signed in', 3);
    const { kind } = profile.credentials;
    // A key or personal token stays good: it was not made here.
    if (kind === 'oauth' || kind === 'session') await client.auth.logout({ maxRetries: 0 }).catch(() => {});
    await store.change((all) => replaceProfile(all, name, { ...profile, credentials: { kind: 'none' } }));
    out.done(`signed out of ${profile.url}`, { profile: name });
  });
  return shell.finish(command, ['logout', 'logout --profile ci']);
};

const whoamiCommand = (shell: Shell): Command => {
  const command = new Command('whoami')
    .description('Who the token belongs to, and what it may')
    .action(async () => {
      const { client, out, target } = shell.open(command);
      const me = await client.auth.getMe();
      if (out.json) return out.record(me);
      const { email, roles, tier, org_id: tenant, credential, permissions, exp } = me;
      out.record({
        email,
        user_id: me.sub,
        tenant_id: tenant,
        roles,
        tier,
        server: target.url,
        token: `${credential} from ${target.authFrom}`,
        expires_at: exp === null ? null : new Date(exp * 1000).toISOString(),
        permissions,
      });
    });
  return shell.finish(command, ['whoami', 'whoami --json']);
};

const profilesCommand = (shell: Shell): Command => {
  const list = new Command('list').description('All profiles').action(() => {
    const { store, out } = shell.open(list);
    const { current, profiles } = store.read();
    const items = Object.entries(profiles).map(([name, { url, email, credentials }]) => ({
      current: name === current,
      name,
      url,
      email,
      sign_in: credentials.kind,
    }));
    out.list({ items, total: items.length, nextCursor: null }, [
      'current',
      'name',
      'url',
      'email',
      'sign_in',
    ]);
  });
  const use = new Command('use')
    .description('Make a profile the one that commands use')
    .argument('<name>')
    .action(async () => {
      const { store, out } = shell.open(use);
      const name = argument(use, 0);
      const known = store.read().profiles[name];
      if (known === undefined)
        throw new CliError(`there is no profile ${name}`, 5, '"pentarch profiles list" shows them');
      await store.change((all) => ({ ...all, current: name }));
      out.done(`${name}: ${known.url}`, { profile: name, url: known.url });
    });
  const remove = new Command('remove')
    .description('Forget a profile and its sign-in')
    .argument('<name>')
    .action(async () => {
      const { store, out } = shell.open(remove);
      const name = argument(remove, 0);
      if (store.read().profiles[name] === undefined) throw new CliError(`there is no profile ${name}`, 5);
      await store.change(({ current, profiles }) => ({
        current: current === name ? null : current,
        profiles: Object.fromEntries(Object.entries(profiles).filter(([known]) => known !== name)),
      }));
      out.done(`removed ${name}`, { profile: name });
    });
  return new Command('profiles')
    .description('Servers and sign-ins of this account')
    .addCommand(shell.finish(list, ['profiles list']))
    .addCommand(shell.finish(use, ['profiles use agents.example.com']))
    .addCommand(shell.finish(remove, ['profiles remove old']));
};

const passwordCommand = (shell: Shell): Command => {
  const change = new Command('change')
    .description('Change the own password: two lines on standard input, the present one and the new one')
    .action(async () => {
      const { client, out, runtime } = shell.open(change);
      const lines = openLines(runtime, () => runtime.interrupt(), true);
      const present = await lines.next('present password: ');
      const next = await lines.next('new password: ');
      lines.close();
      if (present === null || next === null)
        throw usage('two lines are needed: the present password and the new one');
      await client.users.changeMyPassword({ current_password: present, new_password: next });
      out.done('changed; other sessions have ended', { ok: true });
    });
  const forgot = new Command('forgot')
    .description('Ask for a link to a new password by mail')
    .argument('<email>')
    .action(async () => {
      const { client, out } = shell.open(forgot);
      await client.auth.forgotPassword({ email: argument(forgot, 0) });
      out.done('a mail is on its way if the account exists', { ok: true });
    });
  const reset = new Command('reset')
    .description(
      'Set the password that a link is for: two lines on standard input, its token and the password',
    )
    .action(async () => {
      const { client, out, runtime } = shell.open(reset);
      const lines = openLines(runtime, () => runtime.interrupt(), true);
      const token = await lines.next('token of the link: ');
      const password = await lines.next('new password: ');
      lines.close();
      if (token === null || password === null)
        throw usage('two lines are needed: the token and the new password');
      await client.auth.resetPassword({ token, password });
      out.done('set; sign in with it', { ok: true });
    });
  return new Command('password')
    .description('The own password')
    .addCommand(shell.finish(change, ['password change < two-lines.txt']))
    .addCommand(shell.finish(forgot, ['password forgot ada@example.com']))
    .addCommand(shell.finish(reset, ['password reset < two-lines.txt']));
};

export const sessionCommands = (shell: Shell): Command[] => [
  loginCommand(shell),
  logoutCommand(shell),
  whoamiCommand(shell),
  profilesCommand(shell),
  passwordCommand(shell),
];
