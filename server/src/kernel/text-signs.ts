import { bounded, PIECE, pieces } from 'pentarch-prose';

/**
 * Signs in a text: instructions meant for a model, secrets, personal data. Written rules miss much and raise false
 * alarms; what they find is a hint and one signal among several, never what a refusal rests on alone.
 */

export type SignKind = 'injection' | 'secret' | 'personal_data';

/** What the text is: any text, the words of a proposed action, what led to it, or the description of a tool. */
export type TextRole = 'content' | 'proposal' | 'evidence' | 'tool';

export interface FoundSign {
  kind: SignKind;
  /** What was found, in words. */
  sign: string;
  /** Offset in UTF-16 units. */
  at: number;
  found: string;
}

interface Sign {
  kind: SignKind;
  sign: string;
  /** With the flag `g`. */
  of: RegExp;
  holds?: (found: string) => boolean;
  /** Texts that say this without meaning harm. */
  normalIn?: readonly TextRole[];
}

/** ISO/IEC 7812-1, annex B. */
export const passesLuhn = (text: string): boolean => {
  const digits = [...text.replaceAll(/\D/g, '')].map(Number).reverse();
  if (digits.length < 13 || digits.length > 19) return false;
  const sum = digits.reduce((total, digit, i) => {
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
};

/** ISO 13616-1: letters as numbers, the first four characters behind, modulo 97 is 1. */
export const passesIban = (text: string): boolean => {
  const iban = text.replaceAll(/\s/g, '').toUpperCase();
  if (iban.length < 15 || iban.length > 34) return false;
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
};

const HIDDEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]+/gu;

const INJECTION: readonly Omit<Sign, 'kind'>[] = [
  {
    sign: 'tells a model to drop its instructions',
    of: bounded(
      PIECE,
      /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|system|all|your)\b.{0,30}\b(?:instructions?|prompts?|rules|messages?|guidelines|guardrails)\b/gis,
    ),
  },
  {
    sign: 'tells a model to drop its instructions',
    of: /\b(?:ignoriere|vergiss|missachte)\b[^.!?\n]{0,40}\b(?:anweisung|regel|vorgabe)\w*/gi,
  },
  {
    sign: 'gives a model another role',
    of: /\b(?:you are now|from now on you are|act as|pretend to be|pretend that you are)\b[^.!?\n]{0,40}\b(?:dan|unrestricted|jailbroken|developer mode|root|system|admin(?:istrator)?|no (?:rules|restrictions|limits))\b/gi,
  },
  {
    sign: 'imitates the frame of a conversation',
    of: /<\s*(?:\/\s*)?(?:system|important|instructions?|secret|admin|assistant)\s*>|<\|[a-z_]+\|>|\[\/?(?:INST|SYS)\]|^[ \t]*#{2,}\s*(?:system|new instructions?)\b/gim,
  },
  {
    sign: 'speaks to a model from within data',
    of: bounded(
      PIECE,
      /\[(?:system|override|system override)\]|<!--[^>\n]{0,40}\binstruction\b|\b(?:note|notice|instruction) (?:to|for) (?:the |all |any )?(?:AI|LLM)\b/gi,
    ),
  },
  {
    sign: 'speaks to the voters',
    of: /\b(?:approve (?:this|it)|vote (?:to )?approve|pre-?approved|already (?:been )?approved|no (?:approval|vote) (?:is )?(?:needed|required)|you are now)\b/gi,
    normalIn: ['content', 'tool'],
  },
  {
    sign: 'asks to hide something from the user',
    of: /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|show(?:ing)?|notify(?:ing)?)\b.{0,30}\b(?:user|human|operator|anyone|anybody)\b/gis,
  },
  {
    sign: 'asks for calls around another tool',
    of: bounded(
      PIECE,
      /\b(?:before|after|instead of|whenever)\b.{0,60}\b(?:using|calling|this tool|any tool|other tools?)\b.{0,80}\b(?:you must|must first|always|first)\b.{0,60}\b(?:call|read|send|invoke|run|use)\b/gis,
    ),
  },
  {
    sign: 'asks for calls around another tool',
    of: bounded(
      PIECE,
      /\byou must\b.{0,40}\b(?:call|invoke|send|read|include|pass)\b.{0,80}\b(?:tool|file|secret|password|token|key|contents?)\b/gis,
    ),
  },
  {
    sign: 'names a file of secrets',
    of: /(?:~\/|\/home\/|\/root\/|\/etc\/)?\.?(?:ssh\/id_|aws\/credentials|env\b.{0,20}\b(?:contents?|file)|mcp\.json)/gi,
  },
  {
    sign: 'asks for the system prompt or secrets',
    of: bounded(
      PIECE,
      /\b(?:reveal|print|show|repeat|output|send|leak|tell me|give me)\b[^.!?\n]{0,40}\b(?:system prompt|hidden prompt|initial instructions|your instructions|api keys?|passwords?|credentials|access tokens?)\b/gi,
    ),
    normalIn: ['tool'],
  },
  {
    sign: 'asks to send data somewhere',
    of: bounded(
      PIECE,
      /\b(?:send|post|forward|upload|exfiltrate|e-?mail)\b[^.!?\n]{0,60}\b(?:conversation|chat history|contents?|files?|data|passwords?|secrets?)\b[^.!?\n]{0,40}(?:https?:\/\/|\S+@\S+)/gi,
    ),
    normalIn: ['proposal', 'tool'],
  },
  {
    sign: 'an image that would carry data out',
    of: bounded(PIECE, /!\[[^\]\n]{0,100}\]\(https?:\/\/[^)\s]{1,300}[?&][^)\n]{0,300}\)/gi),
  },
  { sign: 'text that a reader does not see', of: HIDDEN },
];

const SECRETS: readonly Omit<Sign, 'kind'>[] = [
  {
    sign: 'a key of a known form',
    of: bounded(
      PIECE,
      /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}|\b(?:sk|pk|rk)(?=[-_A-Za-z]{0,60}\d)[-_A-Za-z0-9]{16,}|\b(?:gh[posur]|xox[abprs]|ptk|AKIA)[-_A-Za-z0-9]{16,}|\bgithub_pat_\w{30,}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}\b|\bAIza[\w-]{35}\b|\bwhsec_[A-Za-z0-9+/=]{20,}/g,
    ),
  },
  { sign: 'a private key', of: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g },
  {
    sign: 'a signed token (JWT)',
    of: bounded(PIECE, /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g),
  },
  {
    sign: 'a password or key in clear',
    of: bounded(
      PIECE,
      /\b(?:pass ?word|passwd|pwd|passphrase|passcode|passwort|kennwort|api[-_ ]?key|secret|access[-_ ]?token)\b["']?\s{0,3}(?:[:=]|is)\s{0,3}["']?(?=[^\s"']{0,60}[\d!@#$%^&*])[^\s"',;]{6,60}/gi,
    ),
  },
  {
    sign: 'a connection string with a password',
    of: bounded(PIECE, /\b[a-z][a-z0-9+]{1,20}:\/\/[^\s:/@]{1,64}:[^\s:/@]{1,64}@[^\s/]{1,100}/gi),
  },
];

const CARD: Omit<Sign, 'kind'> = {
  sign: 'a payment card number',
  of: /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g,
  holds: passesLuhn,
};

const PERSONAL: readonly Omit<Sign, 'kind'>[] = [
  {
    sign: 'an e-mail address',
    of: bounded(PIECE, /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}\b/g),
  },
  {
    sign: 'a phone number',
    of: /(?<![\w.])\+\d{1,3}[ ./-]?(?:\(\d{1,4}\)[ ./-]?)?\d(?:[ ./-]?\d){6,12}(?!\w)/g,
  },
  {
    sign: 'a bank account (IBAN)',
    of: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g,
    holds: passesIban,
  },
  CARD,
  {
    sign: 'a US social security number',
    of: /\b(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b/g,
  },
  {
    sign: 'a date of birth',
    of: bounded(
      PIECE,
      /\b(?:born on|date of birth|birth ?date|dob|geboren am)\b\s{0,3}:?\s{0,3}(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\.? \p{L}{3,12} \d{4}|\p{L}{3,12} \d{1,2},? \d{4})/giu,
    ),
  },
];

const ofKind = (kind: SignKind, signs: readonly Omit<Sign, 'kind'>[]): Sign[] =>
  signs.map((sign) => ({ ...sign, kind }));

const SIGNS: readonly Sign[] = [
  ...ofKind('injection', INJECTION),
  ...ofKind('secret', SECRETS),
  ...ofKind('personal_data', PERSONAL),
];
const SECRET_SIGNS: readonly Sign[] = ofKind('secret', [...SECRETS, CARD]);

/** Where one sign stands, each place once though pieces of a long text overlap. */
function* placesOf({ kind, sign, of, holds }: Sign, text: string): Generator<FoundSign> {
  let end = 0;
  for (const piece of pieces(text)) {
    for (const match of piece.text.matchAll(of)) {
      const at = piece.start + match.index;
      if (at < end) continue;
      end = at + match[0].length;
      if (holds === undefined || holds(match[0])) yield { kind, sign, at, found: match[0] };
    }
  }
}

/** All signs of a text that is content, at most `most` places of each, in the order of the text. */
export const signsIn = (text: string, most: number): FoundSign[] =>
  SIGNS.filter(({ normalIn }) => normalIn?.includes('content') !== true)
    .flatMap((sign) => placesOf(sign, text).take(most).toArray())
    .sort((a, b) => a.at - b.at);

/** Names of the injection signs found in a text. */
export const injectionSigns = (text: string, role: TextRole): string[] => {
  const parts = pieces(text);
  const found = INJECTION.filter(
    ({ of, normalIn }) =>
      normalIn?.includes(role) !== true && parts.some((part) => part.text.search(of) >= 0),
  );
  return [...new Set(found.map(({ sign }) => sign))];
};

const SECRET_WORDS =
  /\b(?:pass ?word|passwort|passphrase|passcode|pin(?: code| number)?|cvv|cvc|api[- ]?key|secret key|private key|access token|client secret|recovery code|kennwort|geheimzahl)\b/i;

/** Does a text hold a secret, or speak of one? For what must not be kept where prompts show it (contract, section 14). */
export const looksSecret = (text: string): boolean =>
  SECRET_WORDS.test(text) || SECRET_SIGNS.some((sign) => placesOf(sign, text).next().done === false);

/** The text with marks in place of what a reader does not see, in one line. */
export const visibleText = (text: string): string => text.replaceAll(HIDDEN, '·').replaceAll(/\s+/g, ' ');

/** All texts inside a JSON value, keys included. */
export const textsIn = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 20) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner, depth + 1)]);
};
