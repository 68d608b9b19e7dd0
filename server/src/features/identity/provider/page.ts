import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** How the pages of the identity provider look: as the console does. They work without a script, by keyboard and in a screen reader. */

const STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#fbfbfc,#101114);--surface:light-dark(#fff,#17181c);--edge:light-dark(#e4e6ea,#2a2c33);--line:light-dark(#8a8f9b,#6b707c);--ink:light-dark(#16181d,#eceef2);--ink-2:light-dark(#4d535f,#aab0bc);--accent:light-dark(#3b4cca,#8f9bff);--accent-ink:light-dark(#fff,#101114);--hover:light-dark(#f1f2f5,#22242a);--bad:light-dark(#b3261e,#ff8d85);--bad-soft:light-dark(#fcebea,#3b1817)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-content:center;grid-template-columns:minmax(0,24rem);gap:1.5rem;padding:1rem;font:1rem/1.5 "Inter Variable",system-ui,sans-serif;color:var(--ink);background:var(--ground)}
header{display:flex;align-items:center;gap:.6rem;font-weight:620}
main{padding:1.75rem;border:1px solid var(--edge);border-radius:.75rem;background:var(--surface)}
h1{margin:0 0 1rem;font-size:1.625rem;line-height:1.25;font-weight:620}
p{margin:.75rem 0}
a{color:var(--accent)}
label{display:block;margin:1rem 0 .25rem;font-size:.875rem;font-weight:510}
input{width:100%;min-height:2.75rem;padding:.5rem .75rem;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--line);border-radius:.5rem}
input[readonly]{color:var(--ink-2);background:var(--ground)}
.secret{display:flex;gap:.5rem}
button{width:100%;min-height:2.75rem;margin-top:1.25rem;padding:.5rem .75rem;font:inherit;font-weight:510;border:1px solid var(--accent);border-radius:.5rem;color:var(--accent-ink);background:var(--accent);cursor:pointer}
button.plain{color:var(--ink);background:var(--surface);border-color:var(--line)}
button.plain:hover{background:var(--hover)}
.secret button{width:auto;margin:0}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.fault{margin:0 0 1rem;padding:.75rem;border-radius:.5rem;color:var(--bad);background:var(--bad-soft)}
.small{font-size:.875rem;color:var(--ink-2)}
ul{padding-left:1.25rem}
`;

/** A button behind the password that shows it. Without the script the page works as well. */
const SHOW_PASSWORD = `
const field=document.getElementById('password');const button=document.createElement('button');
const show=(on)=>{field.type=on?'text':'password';button.textContent=on?'Hide':'Show';button.setAttribute('aria-label',on?'Hide what you type':'Show what you type')};
button.type='button';button.className='plain';
button.addEventListener('click',()=>{show(field.type==='password');field.focus()});
field.form.addEventListener('submit',()=>show(false));show(false);field.after(button);
`;

const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#3b4cca"/><path d="M16 6.5 25.5 13.4 21.9 24.6H10.1L6.5 13.4Z" fill="none" stroke="#fff" stroke-width="2.2" stroke-linejoin="round"/></svg>';

export const escapeHtml = (text: string): string =>
  text.replaceAll(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[sign] ?? sign,
  );

const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;
const STYLE_SOURCE = sourceOf(STYLE);
const SCRIPT_SOURCE = sourceOf(SHOW_PASSWORD);

/**
 * Nothing but our own style and script, and forms to ourselves. Browsers hold `form-action` against the redirects that follow a form
 * too, so the address that an authorization goes back to must be named.
 */
export const contentSecurityPolicy = (formTargets: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    `script-src ${SCRIPT_SOURCE}`,
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
<header>${MARK} Pentarch</header>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;

export const fault = (message: string | null): string =>
  message === null ? '' : `<p class="fault" role="alert" id="fault">${escapeHtml(message)}</p>`;

/** A password to type. */
export const passwordField = (attributes: string): string =>
  `<div class="secret"><input id="password" name="password" type="password" required maxlength="1024" ${attributes}></div><script>${SHOW_PASSWORD}</script>`;

export const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** `formTargets`: what an authorization goes back to (see `contentSecurityPolicy`). */
export const sendPage = (
  reply: FastifyReply,
  status: number,
  html: string,
  formTargets: readonly string[] = [],
): FastifyReply =>
  reply
    .code(status)
    .header('content-security-policy', contentSecurityPolicy(formTargets))
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
