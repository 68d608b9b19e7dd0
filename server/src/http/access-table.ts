import { ROLES, type Role } from '../kernel/caller.ts';
import { ROLE_PERMISSIONS } from '../kernel/permissions.ts';
import { prefixesOf } from './mount.ts';
import type { Access, AnyRoute } from './route.ts';

/** Routes × roles → outcome, from the routes' own declarations: the table of docs/security.md. */

export type Outcome = 'yes' | '401' | '403';

export interface AccessRow {
  method: AnyRoute['method'];
  /** Path with its first prefix. */
  path: string;
  access: Access;
  /** Without a token. */
  nobody: Outcome;
  roles: Readonly<Record<Role, Outcome>>;
}

const outcomeOf = (access: Access, role: Role): Outcome =>
  access === 'public' || access === 'signed-in' || ROLE_PERMISSIONS[role].includes(access) ? 'yes' : '403';

export const accessRows = (routes: readonly AnyRoute[]): AccessRow[] =>
  routes
    .flatMap((route) =>
      prefixesOf(route)
        .slice(0, 1)
        .map((prefix) => ({
          method: route.method,
          path: prefix + route.path,
          access: route.access,
          nobody: route.access === 'public' ? ('yes' as const) : ('401' as const),
          roles: {
            admin: outcomeOf(route.access, 'admin'),
            operator: outcomeOf(route.access, 'operator'),
            analyst: outcomeOf(route.access, 'analyst'),
            user: outcomeOf(route.access, 'user'),
            readonly: outcomeOf(route.access, 'readonly'),
          },
        })),
    )
    .sort((a, b) => (a.path === b.path ? a.method.localeCompare(b.method) : a.path.localeCompare(b.path)));

const mark = (outcome: Outcome): string => (outcome === 'yes' ? 'yes' : `**${outcome}**`);

/** Markdown. */
export const accessTable = (routes: readonly AnyRoute[]): string =>
  [
    `| route | needs | no token | ${ROLES.join(' | ')} |`,
    `|---|---|---|${ROLES.map(() => '---|').join('')}`,
    ...accessRows(routes).map(
      (row) =>
        `| \`${row.method} ${row.path}\` | ${row.access} | ${mark(row.nobody)} | ${ROLES.map((role) => mark(row.roles[role])).join(' | ')} |`,
    ),
  ].join('\n');

export const TABLE_START = '<!-- generated: routes x roles -->';
export const TABLE_END = '<!-- end generated -->';

/** The document with its table replaced. Throws when the marks are missing. */
export const withAccessTable = (document: string, routes: readonly AnyRoute[]): string => {
  const start = document.indexOf(TABLE_START);
  const end = document.indexOf(TABLE_END);
  if (start < 0 || end < start) throw new Error('docs/security.md has no place for the table of routes');
  return `${document.slice(0, start)}${TABLE_START}\n${accessTable(routes)}\n${document.slice(end)}`;
};
