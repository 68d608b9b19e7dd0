import { globMatches } from '../../kernel/glob.ts';
import type { AllowRule, ToolPolicy } from '../../kernel/tool-policy.ts';

/** Which calls an operator allows in a run with untrusted content (docs/governance.md). Pure. */

/** White space, control characters and what separates one address from the next: no star of a glob matches these. */
const SEPARATORS = /[\s\u0000-\u001f\u007f-\u009f,;<>"'`|\\]/u;
const CLIMBS = /(?:^|\/)\.\.?(?:\/|$)/;

const fits = (globs: readonly string[], text: string): boolean =>
  globs.some((glob) => glob === text) ||
  (!SEPARATORS.test(text) && !CLIMBS.test(text) && globs.some((glob) => globMatches(glob, text)));

/** The host of an address; null where it is none, or one that two programs could read as two hosts. */
const hostOf = (text: string): string | null => {
  if (SEPARATORS.test(text) || !/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text)) return null;
  try {
    return new URL(text).hostname;
  } catch {
    return null;
  }
};

/** Texts of one argument: itself, or each of a list. Null where it holds anything else, or nothing. */
const textsOf = (value: unknown): string[] | null => {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  const texts = all.filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
  return texts.length > 0 && texts.length === all.length ? texts : null;
};

const ruleFits = (rule: AllowRule, args: Record<string, unknown>): boolean => {
  const hosts = Object.entries(rule.hosts ?? {});
  const others = Object.entries(rule.arguments ?? {});
  const all = (name: string, test: (text: string) => boolean): boolean =>
    Object.hasOwn(args, name) && (textsOf(args[name])?.every(test) ?? false);
  return (
    hosts.every(([name, globs]) =>
      all(name, (text) => {
        const host = hostOf(text);
        return host !== null && fits(globs, host);
      }),
    ) && others.every(([name, globs]) => all(name, (text) => fits(globs, text)))
  );
};

/** `approval: auto` allows every call of the tool, but where `allow` says which: then these alone. */
export const isAllowed = (policy: ToolPolicy, args: Record<string, unknown>): boolean =>
  policy.allow === undefined ? policy.approval === 'auto' : policy.allow.some((rule) => ruleFits(rule, args));
