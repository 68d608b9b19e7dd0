import { bounded, PIECE, pieces } from '../../kernel/bounded.ts';

/**
 * Signs in a text that AEGIS reports: instructions meant for a model, secrets, personal data. Written rules miss much and
 * raise false alarms; what they find is a hint for people and one signal among several, never the wall.
 */

export type FindingKind = 'injection' | 'secret' | 'personal_data';

export interface Finding {
  kind: FindingKind;
  /** What was found, in words. */
  sign: string;
  /** Offset in UTF-16 units. */
  at: number;
  /** Around the place; secrets and personal data are masked. */
  excerpt: string;
}

interface Rule {
  kind: FindingKind;
  sign: string;
  of: RegExp;
  holds?: (found: string) => boolean;
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

const RULES: readonly Rule[] = [
  {
    kind: 'injection',
    sign: 'tells a model to drop its instructions',
    of: bounded(
      PIECE,
      /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:previous|prior|above|earlier|system|all|your)\b[^.!?\n]{0,30}\b(?:instructions?|prompts?|rules|guidelines|guardrails)\b/gi,
    ),
  },
  {
    kind: 'injection',
    sign: 'tells a model to drop its instructions',
    of: /\b(?:ignoriere|vergiss|missachte)\b[^.!?\n]{0,40}\b(?:anweisung|regel|vorgabe)\w*/gi,
  },
  {
    kind: 'injection',
    sign: 'gives a model another role',
    of: /\b(?:you are now|from now on you are|act as|pretend to be|pretend that you are)\b[^.!?\n]{0,40}\b(?:dan|unrestricted|jailbroken|developer mode|root|system|administrator|no (?:rules|restrictions|limits))\b/gi,
  },
  {
    kind: 'injection',
    sign: 'imitates the frame of a conversation',
    of: /<\s*(?:\/\s*)?(?:system|important|instructions?|admin|assistant)\s*>|<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]|^[ \t]*#{2,}\s*(?:system|new instructions?)\b/gim,
  },
  {
    kind: 'injection',
    sign: 'asks to hide something from the user',
    of: /\b(?:do not|don't|never|without)\b[^.!?\n]{0,30}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|show(?:ing)?|notify(?:ing)?)\b[^.!?\n]{0,20}\b(?:user|human|operator|anyone|anybody)\b/gi,
  },
  {
    kind: 'injection',
    sign: 'asks for the system prompt or secrets',
    of: bounded(
      PIECE,
      /\b(?:reveal|print|show|repeat|output|send|leak|tell me|give me)\b[^.!?\n]{0,40}\b(?:system prompt|hidden prompt|initial instructions|your instructions|api keys?|passwords?|credentials|access tokens?)\b/gi,
    ),
  },
  {
    kind: 'injection',
    sign: 'asks to send data somewhere',
    of: bounded(
      PIECE,
      /\b(?:send|post|forward|upload|exfiltrate|e-?mail)\b[^.!?\n]{0,60}\b(?:conversation|chat history|contents?|files?|data|passwords?|secrets?)\b[^.!?\n]{0,40}(?:https?:\/\/|\S+@\S+)/gi,
    ),
  },
  {
    kind: 'injection',
    sign: 'an image that would carry data out',
    of: bounded(PIECE, /!\[[^\]\n]{0,100}\]\(https?:\/\/[^)\s]{1,300}[?&][^)\s]{0,300}\)/gi),
  },
  {
    kind: 'injection',
    sign: 'text that a reader does not see',
    of: /[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]+/gu,
  },
  {
    kind: 'secret',
    sign: 'a key of a known form',
    of: bounded(
      PIECE,
      /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}\b|\bgh[posur]_[A-Za-z0-9]{30,}\b|\bgithub_pat_\w{30,}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}\b|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{35}\b|\bptk_[\w-]{16,}\b|\bwhsec_[A-Za-z0-9+/=]{20,}/g,
    ),
  },
  { kind: 'secret', sign: 'a private key', of: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g },
  {
    kind: 'secret',
    sign: 'a signed token (JWT)',
    of: bounded(PIECE, /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g),
  },
  {
    kind: 'secret',
    sign: 'a password or key in clear',
    of: bounded(
      PIECE,
      /\b(?:password|passwd|pwd|passwort|api[_-]?key|secret|access[_-]?token)\b["']?\s{0,3}(?:[:=]|is)\s{0,3}["']?(?=[^\s"']{0,60}[\d!@#$%^&*])[^\s"',;]{6,60}/gi,
    ),
  },
  {
    kind: 'secret',
    sign: 'a connection string with a password',
    of: bounded(PIECE, /\b[a-z][a-z0-9+]{1,20}:\/\/[^\s:/@]{1,64}:[^\s:/@]{1,64}@[^\s/]{1,100}/gi),
  },
  {
    kind: 'personal_data',
    sign: 'an e-mail address',
    of: bounded(PIECE, /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}\b/g),
  },
  {
    kind: 'personal_data',
    sign: 'a phone number',
    of: /(?<![\w.])\+\d{1,3}[ ./-]?(?:\(\d{1,4}\)[ ./-]?)?\d(?:[ ./-]?\d){6,12}(?!\w)/g,
  },
  {
    kind: 'personal_data',
    sign: 'a bank account (IBAN)',
    of: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g,
    holds: passesIban,
  },
  {
    kind: 'personal_data',
    sign: 'a payment card number',
    of: /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g,
    holds: passesLuhn,
  },
  {
    kind: 'personal_data',
    sign: 'a US social security number',
    of: /\b(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b/g,
  },
  {
    kind: 'personal_data',
    sign: 'a date of birth',
    of: bounded(
      PIECE,
      /\b(?:born on|date of birth|birth ?date|dob|geboren am)\b\s{0,3}:?\s{0,3}(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\.? \p{L}{3,12} \d{4}|\p{L}{3,12} \d{1,2},? \d{4})/giu,
    ),
  },
];

const MAX_FINDINGS = 50;
const AROUND = 30;

const mask = (text: string): string =>
  text.length <= 4
    ? '****'
    : `${text.slice(0, 2)}${'*'.repeat(Math.min(12, text.length - 3))}${text.slice(-1)}`;

const visible = (text: string): string =>
  text
    .replaceAll(/[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu, '·')
    .replaceAll(/\s+/g, ' ');

/** Where a rule's expression matches, each place once though pieces of a long text overlap. */
function* placesOf({ of }: Rule, text: string): Generator<{ at: number; found: string }> {
  let end = 0;
  for (const piece of pieces(text)) {
    for (const match of piece.text.matchAll(of)) {
      const at = piece.start + match.index;
      if (at < end) continue;
      end = at + match[0].length;
      yield { at, found: match[0] };
    }
  }
}

/** What the rules find, in the order of the text; at most 50. */
export const scanText = (text: string): Finding[] => {
  const findings: Finding[] = [];
  for (const rule of RULES) {
    let count = 0;
    for (const { at, found } of placesOf(rule, text)) {
      if (rule.holds !== undefined && !rule.holds(found)) continue;
      const before = rule.kind === 'injection' ? text.slice(Math.max(0, at - AROUND), at) : '';
      findings.push({
        kind: rule.kind,
        sign: rule.sign,
        at,
        excerpt: visible(rule.kind === 'injection' ? `${before}${found.slice(0, 160)}` : mask(found)),
      });
      if (++count >= MAX_FINDINGS) break;
    }
  }
  return findings.sort((a, b) => a.at - b.at).slice(0, MAX_FINDINGS);
};
