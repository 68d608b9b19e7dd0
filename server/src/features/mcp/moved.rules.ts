import type { FieldFault } from '../../kernel/errors.ts';
import type { McpEndpoint } from '../../kernel/mcp.ts';

/** Secrets are given for one place: what a change would carry off to another must be given anew. */

interface Change {
  command?: string | undefined;
  args?: readonly string[] | undefined;
  env?: object | undefined;
  url?: string | undefined;
  headers?: object | undefined;
  oauth?: object | undefined;
}

const ANEW =
  'must be given anew (it may be empty): what was kept for the present address or command does not go along to another';

const originOf = (url: string): string | undefined => URL.parse(url)?.origin;
const sameList = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((part, i) => part === right[i]);

/** True where requests, and with them tokens, would go to another origin. */
export const hasMoved = (before: McpEndpoint | null, after: McpEndpoint | null): boolean =>
  before?.transport === 'http' && after?.transport === 'http' && originOf(before.url) !== originOf(after.url);

/** What a change of a registered endpoint keeps silently though it goes elsewhere. */
export const carriedFaults = (before: McpEndpoint | null, change: Change): FieldFault[] => {
  const left = (field: keyof Change, held: boolean): FieldFault[] =>
    held && change[field] === undefined ? [{ field: `/${field}`, reason: ANEW }] : [];
  if (before === null) return [];
  if (before.transport === 'http') {
    if (change.url === undefined || originOf(change.url) === originOf(before.url)) return [];
    return [
      ...left('headers', Object.keys(before.headers).length > 0),
      ...left('oauth', before.oauth?.clientSecret !== undefined),
    ];
  }
  const otherCommand = change.command !== undefined && change.command !== before.command;
  const otherArgs = change.args !== undefined && !sameList(change.args, before.args);
  return [
    ...(otherCommand ? left('args', before.args.length > 0) : []),
    ...(otherCommand || otherArgs ? left('env', Object.keys(before.env).length > 0) : []),
  ];
};
