import { hash } from 'node:crypto';
import type { OidcScope } from '../../../kernel/oidc.ts';

/** The pages of the identity provider: plain HTML that works without a script, by keyboard and in a screen reader. */

const STYLE = `
:root{color-scheme:light dark;--fg:#1a1a1f;--bg:#f4f4f7;--card:#fff;--line:#8a8a94;--accent:#2d4fb3;--bad:#a3121f}
@media (prefers-color-scheme:dark){:root{--fg:#f0f0f4;--bg:#16161a;--card:#22222a;--line:#8d8d99;--accent:#9db4ff;--bad:#ff9aa2}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;font:1rem/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg)}
main{width:100%;max-width:24rem;padding:2rem;border-radius:.75rem;background:var(--card)}
h1{margin:0 0 1rem;font-size:1.5rem}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
input{width:100%;padding:.6rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.4rem}
button{width:100%;margin-top:1.25rem;padding:.7rem;font:inherit;font-weight:600;border:1px solid var(--accent);border-radius:.4rem;color:var(--card);background:var(--accent);cursor:pointer}
button.plain{color:var(--fg);background:transparent;border-color:var(--line)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.fault{margin:0 0 1rem;padding:.75rem;border:1px solid var(--bad);border-radius:.4rem;color:var(--bad)}
.small{font-size:.9rem}
ul{padding-left:1.25rem}
`;

export const escapeHtml = (text: string): string =>
  text.replaceAll(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[sign] ?? sign,
  );

const STYLE_HASH = `'sha256-${hash('sha256', STYLE, 'base64')}'`;

/**
 * Nothing but our own style, and forms to ourselves. Browsers hold `form-action` against the redirects that follow a form
 * too, so the address that an authorization goes back to must be named.
 */
export const contentSecurityPolicy = (formTargets: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src ${STYLE_HASH}`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

/** An address's origin (or its scheme, for one of an app's own) as a source of a policy. */
export const policySource = (uri: string): string => {
  const { protocol, origin } = new URL(uri);
  return origin === 'null' ? protocol : origin;
};

export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} – Pentarch</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;

export const fault = (message: string | null): string =>
  message === null ? '' : `<p class="fault" role="alert" id="fault">${escapeHtml(message)}</p>`;

export const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

export const signInPage = (view: {
  action: string;
  csrf: string;
  client: string;
  email: string;
  fault: string | null;
}): string => {
  const described = view.fault === null ? '' : ' aria-invalid="true" aria-describedby="fault"';
  return page(
    'Sign in',
    `${fault(view.fault)}
<p>to go on to <strong>${escapeHtml(view.client)}</strong></p>
<form method="post" action="${escapeHtml(view.action)}/login">
${hidden('csrf', view.csrf)}
<label for="email">E-mail</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" required maxlength="320" value="${escapeHtml(view.email)}"${described}${view.email === '' ? ' autofocus' : ''}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024"${described}${view.email === '' ? '' : ' autofocus'}>
<button type="submit">Sign in</button>
</form>
<form method="post" action="${escapeHtml(view.action)}/abort">
${hidden('csrf', view.csrf)}
<button type="submit" class="plain">Cancel</button>
</form>`,
  );
};

const SCOPE_WORDS = {
  openid: 'know who you are',
  profile: 'see your name, roles and organisation',
  email: 'see your e-mail address',
  offline_access: 'stay signed in while you are away',
} as const satisfies Record<OidcScope, string>;

export const consentPage = (view: {
  action: string;
  csrf: string;
  client: string;
  /** Those that mean something here: of others the program gets nothing. */
  scopes: readonly OidcScope[];
  /** Null where another device gets the answer. */
  target: string | null;
  /** The answer goes to a program of the person's own machine. */
  local: boolean;
}): string =>
  page(
    'Allow access?',
    `<p><strong>${escapeHtml(view.client)}</strong> asks to act for you in Pentarch, with everything that your account may do, and to:</p>
<ul>${view.scopes.map((scope) => `<li>${SCOPE_WORDS[scope]}</li>`).join('')}</ul>
<p class="small">${
      view.target === null
        ? 'The answer goes to the device whose code you gave. Allow it only if you have just started to sign in there yourself.'
        : view.local
          ? `The answer goes to a program on this computer (${escapeHtml(view.target)}). Allow it only if you have just started that program yourself.`
          : `You will be sent to ${escapeHtml(view.target)}.`
    }</p>
<form method="post" action="${escapeHtml(view.action)}/consent">
${hidden('csrf', view.csrf)}
<button type="submit" autofocus>Allow</button>
</form>
<form method="post" action="${escapeHtml(view.action)}/abort">
${hidden('csrf', view.csrf)}
<button type="submit" class="plain">Deny</button>
</form>`,
  );

/** In UTC: what zone the reader is in, no page without a script knows. */
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

export const passwordPage = (view: {
  action: string;
  title: string;
  email: string;
  minLength: number;
  /** Epoch ms. */
  expiresAt: number;
  fault: string | null;
}): string =>
  page(
    view.title,
    `${fault(view.fault)}
<form method="post" action="${escapeHtml(view.action)}">
<input type="text" name="username" autocomplete="username" value="${escapeHtml(view.email)}" readonly aria-label="E-mail">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${view.minLength}" maxlength="1024" aria-describedby="hint" autofocus>
<p id="hint" class="small">At least ${view.minLength} characters. Length is what counts.</p>
<button type="submit">Set password</button>
</form>
<p class="small">This link works once, until ${TIME.format(view.expiresAt)} UTC.</p>`,
  );

export const messagePage = (title: string, message: string): string =>
  page(title, `<p role="status">${escapeHtml(message)}</p>`);

/** After a password was chosen: the way in. */
export const passwordSetPage = (): string =>
  page(
    'Password set',
    `<p role="status">You can sign in with your new password now.</p>
<p><a href="/" autofocus>Go to Pentarch and sign in</a></p>`,
  );

export const errorPage = (view: { error: string; description: string }): string =>
  page(
    'That did not work',
    `${fault(view.description === '' ? view.error : view.description)}
<p>Go back to the application and start again. If it happens again, give its makers this code: <code>${escapeHtml(view.error)}</code>.</p>`,
  );

/** A form that does not count any more, and where to begin again. */
export const startAgainPage = (view: { description: string; href: string }): string =>
  page(
    'That did not work',
    `${fault(view.description)}
<p><a href="${escapeHtml(view.href)}">Start again</a></p>`,
  );

/** `form` comes from the OpenID engine and has the id op.logoutForm. */
export const signOutPage = (form: string, host: string): string =>
  page(
    'Sign out?',
    `<p>You are signed in at ${escapeHtml(host)}.</p>
${form}
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
<button type="submit" form="op.logoutForm" class="plain">Stay signed in</button>`,
  );

export const stayedPage = (): string =>
  messagePage('Still signed in', 'You are still signed in. You can close this page.');

export const signedOutPage = (): string =>
  messagePage('Signed out', 'You are signed out. You can close this page.');
