import type { DeviceForm } from '../../../kernel/oidc.ts';
import { escapeHtml, fault, hidden, page } from './page.ts';
import { messagePage } from './pages.ts';

/** Pages by which a person lets another device in (RFC 8628, 3.3). */

export const deviceCodePage = (view: DeviceForm & { fault: string | null }): string =>
  page(
    'Connect a device',
    `${fault(view.fault)}
<form method="post" action="${escapeHtml(view.action)}">
${hidden('xsrf', view.xsrf)}
<label for="user_code">Code</label>
<input id="user_code" name="user_code" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="32" value="${escapeHtml(view.userCode)}" aria-describedby="hint"${view.fault === null ? '' : ' aria-invalid="true"'} autofocus>
<p id="hint" class="small">The device or program that you want to sign in shows it.</p>
<button type="submit">Go on</button>
</form>`,
  );

export const deviceConfirmPage = (
  view: DeviceForm & { client: string; address: string; program: string },
): string =>
  page(
    'Is this your device?',
    `<p><strong>${escapeHtml(view.client)}</strong> asks to be signed in as you. It must show this code now:</p>
<p><strong>${escapeHtml(view.userCode)}</strong></p>
<p class="small">It asked from ${escapeHtml(view.address)}${view.program === '' ? '' : ` (by its own word: ${escapeHtml(view.program)})`}. If somebody sent you this code or link, or you have not started this yourself, say no.</p>
<form method="post" action="${escapeHtml(view.action)}">
${hidden('xsrf', view.xsrf)}
${hidden('user_code', view.userCode)}
<button type="submit" name="confirm" value="yes">Yes, go on</button>
<button type="submit" name="abort" value="yes" class="plain">No</button>
</form>`,
  );

export const deviceDonePage = (client: string): string =>
  messagePage('Signed in', `${client} is signed in. You can close this page and go back to it.`);
