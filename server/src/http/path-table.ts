import type { AnyRoute } from './route.ts';

/**
 * Which methods a path has: it tells 405 from 404 where no route matched. A fixed path (`/users/me`) has its own methods alone, though
 * the router would give the others to the route with a parameter in its place (`/users/:id`). Templates become expressions once.
 */
interface PathEntry {
  pattern: RegExp;
  methods: Set<string>;
  /** True when some method of it needs no token. */
  public: boolean;
}

export interface PathMethods {
  allow: string;
  public: boolean;
}

export interface PathTable {
  find(path: string): PathMethods | null;
  /** The methods of a fixed path, where the route that matched is not one of that path. */
  shadowed(path: string, matchedTemplate: string | undefined): PathMethods | null;
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
  /** Paths of plugins as the OpenAPI document has them: `/x/{id}` and the methods of each. */
  described: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
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
  for (const [path, methods] of Object.entries(described)) {
    const template = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const names = Object.keys(methods).map((method) => method.toUpperCase());
    byTemplate.set(template, {
      pattern: patternOf(template),
      methods: new Set(names.includes('GET') ? [...names, 'HEAD'] : names),
      // They ask for their credentials themselves.
      public: true,
    });
  }
  const entries = [...byTemplate.values()];
  const methodsOf = (matching: readonly PathEntry[]): PathMethods => {
    const methods = new Set(matching.flatMap((entry) => [...entry.methods]));
    return { allow: [...methods].sort().join(', '), public: matching.every((entry) => entry.public) };
  };
  const fixed = (path: string): PathEntry | undefined =>
    path.includes(':') || path.includes('*') ? undefined : byTemplate.get(path);
  return {
    find(path) {
      const own = fixed(path);
      const matching = own === undefined ? entries.filter((entry) => entry.pattern.test(path)) : [own];
      return matching.length === 0 ? null : methodsOf(matching);
    },
    shadowed(path, matchedTemplate) {
      if (matchedTemplate?.includes(':') !== true) return null;
      const own = fixed(path);
      return own === undefined ? null : methodsOf([own]);
    },
  };
};
