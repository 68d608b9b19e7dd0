import type { OidcScope } from '../../../kernel/oidc.ts';
import { escapeHtml, fault, hidden, page, passwordField } from './page.ts';

/** The pages of the identity provider. */

export const signInPage = (view: {
  action: string;
  csrf: string;
  client: string;
  email: string;
  fault: string | null;
  /** Where a forgotten password is asked for anew; null where no mail can be sent. */
  forgotten: string | null;
}): string => {
  const described = view.fault === null ? '' : ' aria-invalid="true" aria-describedby="fault"';
  return page(
    'Sign in',
    `${fault(view.fault)}
<p>to continue to <strong>${escapeHtml(view.client)}</strong></p>
<form method="post" action="${escapeHtml(view.action)}/login">
${hidden('csrf', view.csrf)}
<label for="email">E-mail</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" required maxlength="320" value="${escapeHtml(view.email)}"${described}${view.email === '' ? ' autofocus' : ''}>
<label for="password">Password</label>
${passwordField(`autocomplete="current-password"${described}${view.email === '' ? '' : ' autofocus'}`)}
<button type="submit">Sign in</button>
</form>
<p class="small">${
      view.forgotten === null
        ? 'Forgot your password? Ask your administrator for a link.'
        : `<a href="${escapeHtml(view.forgotten)}">Forgot your password?</a>`
    }</p>
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
${passwordField(`autocomplete="new-password" minlength="${view.minLength}" aria-describedby="hint" autofocus`)}
<p id="hint" class="small">At least ${view.minLength} characters. Length is what counts.</p>
<button type="submit">Set password</button>
</form>
<p class="small">This link works once, until ${TIME.format(view.expiresAt)} UTC.</p>`,
  );

export const messagePage = (title: string, message: string): string =>
  page(title, `<p role="status">${escapeHtml(message)}</p>`);

export const forgottenPage = (view: { action: string; fault: string | null }): string =>
  page(
    'Forgot your password?',
    `${fault(view.fault)}
<p>Give the e-mail address of your account. You get a link to choose a new password.</p>
<form method="post" action="${escapeHtml(view.action)}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="320" autofocus>
<button type="submit">Send the link</button>
</form>`,
  );

/** The same for every address: whether there is an account is not told. */
export const forgottenSentPage = (): string =>
  messagePage(
    'Look into your mail',
    'If there is an account with this address, a link is on its way to it. It works once, for an hour. Nothing came? Look into the spam folder, or ask again in a minute.',
  );

/** After a password was chosen in a browser in which somebody else is signed in. */
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
