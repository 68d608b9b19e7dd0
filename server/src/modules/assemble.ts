import type { FilledToolCatalogue } from '../kernel/tool-catalogue.ts';
import type { AnyModule, Built, Collected, Contribution, Given, ServicesOf } from './module.ts';

/** Each as early as its needs and its place in the list allow. Throws where a need is missing, or modules need each other. */
export const inOrder = <M extends Pick<AnyModule, 'name' | 'needs'>>(
  list: readonly M[],
  given: readonly string[],
): M[] => {
  const there = new Set(given);
  const names = new Set(given);
  for (const { name } of list) {
    if (names.has(name)) throw new Error(`two modules are called ${name}`);
    names.add(name);
  }
  const left = [...list];
  const order: M[] = [];
  while (left.length > 0) {
    const next = left.findIndex(({ needs }) => needs.every((need) => there.has(need)));
    const [module] = next < 0 ? [] : left.splice(next, 1);
    if (module === undefined) {
      const open = left.map(
        ({ name, needs }) => `${name} (waits for ${needs.filter((need) => !there.has(need)).join(', ')})`,
      );
      throw new Error(`modules cannot be put in order: ${open.join('; ')}`);
    }
    order.push(module);
    there.add(module.name);
  }
  return order;
};

type ListPart = {
  [K in keyof Contribution]: Contribution[K] extends readonly unknown[] ? K : never;
}[keyof Contribution];

const listOf = <K extends ListPart>(built: readonly Built<unknown>[], part: K): Contribution[K][number][] =>
  built.flatMap((one): readonly Contribution[K][number][] => one[part] ?? []);

const collect = (built: readonly Built<unknown>[]): Collected => ({
  routes: listOf(built, 'routes'),
  personalData: listOf(built, 'personalData'),
  copies: listOf(built, 'copies'),
  // None is missing: `moduleList` does not compile otherwise.
  gauges: Object.assign({}, ...built.map((one) => one.gauges ?? {})) as Collected['gauges'],
  health: Object.assign({}, ...built.map((one) => one.health ?? {})) as Collected['health'],
  tickers: listOf(built, 'tickers'),
  settled: built.flatMap((one) => (one.settled === undefined ? [] : [one.settled])),
  plugins: listOf(built, 'plugins'),
  documents: listOf(built, 'documents'),
});

export interface Assembled<L extends readonly AnyModule[]> {
  services: ServicesOf<L>;
  /** In the order of building. */
  built: readonly Built<unknown>[];
  collected: Collected;
}

/** Builds all modules, each with what it has named and nothing else; `more` are modules beside those of the list. */
export const assemble = async <L extends readonly AnyModule[]>(
  list: L,
  more: readonly AnyModule[],
  given: Omit<Given, 'collected' | 'catalogue'>,
  catalogue: FilledToolCatalogue,
): Promise<Assembled<L>> => {
  const byName = new Map<string, Built<unknown>>();
  let complete: Collected | null = null;
  const collected = (): Collected => complete ?? collect([...byName.values()]);
  const services: Record<string, unknown> = { ...given, catalogue, collected };
  const all: readonly AnyModule[] = [...more, ...list];
  for (const module of inOrder(all, Object.keys(services))) {
    const deps = Object.fromEntries(module.needs.map((need) => [need, services[need]]));
    // That they are what the module takes is what `moduleList` has compared.
    const built = await module.build(deps as never);
    byName.set(module.name, built);
    services[module.name] = built.service;
  }
  const listed = all.flatMap(({ name }) => byName.get(name) ?? []);
  catalogue.fill({
    tools: listOf(listed, 'tools'),
    runTools: listOf(listed, 'runTools'),
    doorTools: listOf(listed, 'doorTools'),
  });
  complete = collect([...byName.values()]);
  return { services: services as ServicesOf<L>, built: [...byName.values()], collected: complete };
};
