import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { DeviceForm, OidcPorts } from '../../kernel/oidc.ts';

/** The device flow (RFC 8628): a program shows a code, and its person types it into a page of the service. */

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** What the library throws to have the page shown again. */
const WORDS: Readonly<Record<string, string>> = {
  NoCodeError: 'Give the code that the device shows.',
  NotFoundError: 'There is no such code, or its time is over. Look at the device again.',
  ExpiredError: 'The time of this code is over. Start again on the device.',
  AlreadyUsedError: 'This code was used before. Start again on the device.',
  AbortedError: 'The device was not let in. You can close this page.',
};

/** Words that the page may show: whoever begins the flow writes the rest of the header, and could write to the person by it. */
const PROGRAMS: readonly (readonly [string, RegExp])[] = [
  ['Pentarch', /\bpentarch\b/i],
  ['Edge', /\bEdg/],
  ['Firefox', /\bFirefox\b/],
  ['Chrome', /\bChrom(?:e|ium)\b/],
  ['Safari', /\bSafari\b/],
  ['curl', /\bcurl\b/i],
  ['Python', /\bpython\b/i],
  ['Node.js', /\bnode\b/i],
  ['Go', /\bGo-http-client\b/],
];
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/i],
  ['macOS', /\b(?:Mac OS X|Macintosh|darwin)\b/i],
  ['Linux', /\bLinux\b/i],
];

/** "Firefox, Linux"; empty where nothing is known. */
export const programIn = (userAgent: string): string =>
  [PROGRAMS, SYSTEMS]
    .flatMap((known) => known.find(([, sign]) => sign.test(userAgent))?.[0] ?? [])
    .join(', ');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const formOf = (ctx: KoaContextWithOIDC, userCode: string): DeviceForm => ({
  action: ctx.oidc.urlFor('code_verification'),
  xsrf: textOf(ctx.oidc.session?.state?.secret),
  userCode,
});

const show = (ports: OidcPorts, ctx: KoaContextWithOIDC, html: string): void => {
  ctx.set('content-security-policy', ports.pages.contentSecurityPolicy([]));
  ctx.set('referrer-policy', 'no-referrer');
  ctx.type = 'html';
  ctx.body = html;
};

export const deviceFlow = (ports: OidcPorts): DeviceFlow => ({
  enabled: true,
  charset: 'base-20',
  mask: '****-****',
  deviceInfo: (ctx) => ({ ip: ctx.ip, ua: programIn(ctx.get('user-agent')) }),
  userCodeInputSource: (ctx, _form, _out, error) => {
    const fault =
      error === undefined || error === null
        ? null
        : (WORDS[error.name] ?? 'That did not work. Start again on the device.');
    show(ports, ctx, ports.pages.deviceCode({ ...formOf(ctx, ''), fault }));
  },
  userCodeConfirmSource: (ctx, _form, client, deviceInfo, userCode) => {
    const view = {
      ...formOf(ctx, userCode),
      client: client.clientName ?? client.clientId,
      address: textOf(deviceInfo.ip),
      program: textOf(deviceInfo.ua),
    };
    show(ports, ctx, ports.pages.deviceConfirm(view));
  },
  successSource: (ctx) => {
    const { client } = ctx.oidc;
    show(ports, ctx, ports.pages.deviceDone(client?.clientName ?? client?.clientId ?? ''));
  },
});

/** A link that carries the code: the library's page sends it on by a script, which our policy does not run. */
export const showGivenCode = (ports: OidcPorts, ctx: KoaContextWithOIDC): void => {
  const code = textOf(ctx.oidc.params?.user_code);
  show(ports, ctx, ports.pages.deviceCode({ ...formOf(ctx, code), fault: null }));
};
