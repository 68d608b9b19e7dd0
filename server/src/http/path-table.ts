import type { AnyRoute } from './route.ts';

/**
 * Which methods a path has, asked only when no route matched: it tells 405 from 404. Templates become expressions once.
 */
interface PathEntry {
  pattern: RegExp;
  methods: Set<string>;
  /** True when some method of it needs no token. */
  public: boolean;
}

export interface PathTable {
  find(path: string): { allow: string; public: boolean } | null;
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : escapeRegExp(part)))
      .join('/')}$`,
  );

export const createPathTable = (
  routes: readonly AnyRoute[],
  prefixesOf: (route: AnyRoute) => readonly string[],
): PathTable => {
  const byTemplate = new Map<string, PathEntry>();
  for (const route of routes) {
    for (const prefix of prefixesOf(route)) {
      const template = prefix + route.path;
      const entry = byTemplate.get(template) ?? {
        pattern: patternOf(template),
        methods: new Set(),
        public: false,
      };
      entry.methods.add(route.method);
      if (route.method === 'GET') entry.methods.add('HEAD');
      if (route.access === 'public') entry.public = true;
      byTemplate.set(template, entry);
    }
  }
  const entries = [...byTemplate.values()];
  return {
    find(path) {
      const matching = entries.filter((entry) => entry.pattern.test(path));
      if (matching.length === 0) return null;
      const methods = new Set(matching.flatMap((entry) => [...entry.methods]));
      return { allow: [...methods].sort().join(', '), public: matching.every((entry) => entry.public) };
    },
  };
};
