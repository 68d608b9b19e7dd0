import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { CheckName, Gauges, HealthCheck } from '../features/system/index.ts';
import type { CopyHolder, PersonalData } from '../features/users/index.ts';
import type { DocumentPart } from '../http/document/openapi.ts';
import type { AnyRoute } from '../http/route.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Decisions } from '../kernel/decisions.ts';
import type { ToolCatalogue } from '../kernel/tool-catalogue.ts';
import type { ToolSource } from '../kernel/tools.ts';

/**
 * The form of a module: a name, the names of what it needs, and `build`, which gets exactly that and gives what others may use
 * (`service`), what it adds to the platform (routes, tools, …) and its part in the life of the process.
 */
export interface Module<Name extends string, Deps, B extends Built<unknown>> {
  name: Name;
  needs: readonly (keyof Deps & string)[];
  /** May read and write the store, and must not begin work of its own. */
  build(deps: Deps): B | Promise<B>;
}

/** The life of a process; each step is taken by all modules that have it before the next step begins. */
export interface Life {
  /** In the order of building: reads what it needs to know before anything is asked of it. */
  start?(): Promise<void> | void;
  /** In the order of building: takes up what the last process has left, and begins work of its own. */
  resume?(): Promise<void> | void;
  /** Requests may come: for what nobody waits for. */
  opened?(): void;
  /** Told to stop, and requests still come. Not waited for. */
  stopping?(): void;
  /** All at once: takes nothing new, and lets running work end within `graceMs`. */
  drain?(graceMs: number): Promise<void>;
  /** In the order of building, when all have drained: nothing is asked of other nodes any more. */
  drained?(untilMs: number): Promise<void> | void;
  /** In reverse, before the server closes: no timers and no open streams any more. */
  quiet?(): Promise<void> | void;
  /** In reverse, so that nobody loses what he needs. */
  stop?(): Promise<void> | void;
}

export interface TickerSpec {
  everyMs: number;
  /** What the log says when it fails. */
  fault: string;
  tick(): Promise<unknown>;
}

/** What a module adds to the platform. */
export interface Contribution {
  routes: readonly AnyRoute[];
  /** For agents and for clients of `/mcp`. */
  tools: readonly ToolSource[];
  /** Tools that work within a run alone. */
  runTools: readonly ToolSource[];
  /** Tools for clients of `/mcp` alone. */
  doorTools: readonly ToolSource[];
  personalData: readonly PersonalData[];
  copies: readonly CopyHolder[];
  gauges: Partial<Gauges>;
  health: Partial<Record<CheckName, HealthCheck>>;
  /** Run from the moment all modules have resumed until the process drains, before the queue stops. */
  tickers: readonly TickerSpec[];
  /** Resolves when what the queue has left in hand is done; asked after it has stopped. */
  settled(): Promise<unknown>;
  /** Routes of their own, which need no `route()`. */
  plugins: readonly ((app: FastifyInstance) => Promise<void> | void)[];
  /** What those add to the OpenAPI document. */
  documents: readonly DocumentPart[];
}

export type Built<Service> = { service: Service } & Partial<Contribution> & Life;

/** What all modules have added; complete once all are built. */
export interface Collected {
  routes: readonly AnyRoute[];
  /** In the order of building: what is built on others comes after them. */
  personalData: readonly PersonalData[];
  copies: readonly CopyHolder[];
  gauges: Gauges;
  health: Record<CheckName, HealthCheck>;
  tickers: readonly TickerSpec[];
  settled: readonly (() => Promise<unknown>)[];
  plugins: Contribution['plugins'];
  documents: readonly DocumentPart[];
}

export interface Lifecycle {
  /** Epoch ms. */
  startedAt: number;
  /** Told to stop: not ready any more. */
  stopping(): boolean;
  /** Takes no new work. */
  draining(): boolean;
}

export type OnError = (error: unknown, message: string) => void;

/** What every module may need without another one giving it. */
export interface Given {
  config: Config;
  logger: FastifyBaseLogger;
  clock: Clock;
  /** Asked late: the port may be known only when the process listens. */
  publicUrl: () => string;
  onError: OnError;
  lifecycle: Lifecycle;
  /** Asked late: by requests and by steps of life, never by `build` (but by that of the HTTP server, the last). */
  collected: () => Collected;
  /** Port: modules add tools, runs, governance and `/mcp` read them. */
  catalogue: ToolCatalogue;
  /** Port: governance decides, runs wait. */
  decisions: Decisions;
}

/** All of `Deps` is named in `needs`. */
type Complete<Deps, Needs extends readonly string[]> =
  Exclude<keyof Deps, Needs[number]> extends never
    ? unknown
    : `needs lacks ${Exclude<keyof Deps & string, Needs[number]>}`;

/** Types only: the value goes through as it is. */
export const defineModule = <
  const Name extends string,
  Deps extends object,
  const Needs extends readonly (keyof Deps & string)[],
  B extends Built<unknown>,
>(module: {
  name: Name;
  needs: Needs & Complete<Deps, Needs>;
  build(deps: Deps): B | Promise<B>;
}): Module<Name, Deps, B> => module;

export interface AnyModule {
  name: string;
  needs: readonly string[];
  build(deps: never): Built<unknown> | Promise<Built<unknown>>;
}

type BuiltBy<M extends AnyModule> = Awaited<ReturnType<M['build']>>;

/** What the modules of a list give, by name. */
export type ServicesOf<L extends readonly AnyModule[]> = {
  [M in L[number] as M['name']]: BuiltBy<M>['service'];
};

/** Key of every part that one of the modules gives, of gauges or of checks. */
type KeysGiven<M extends AnyModule, Part extends 'gauges' | 'health'> = M extends AnyModule
  ? BuiltBy<M> extends { [K in Part]: infer Given }
    ? keyof Given
    : never
  : never;

type NeedFault<M extends AnyModule, All> = M extends AnyModule
  ? Parameters<M['build']>[0] extends infer Deps
    ? {
        [K in keyof Deps & string]: K extends keyof All
          ? All[K] extends Deps[K]
            ? never
            : `${M['name']} cannot use ${K} as it is`
          : `${M['name']} needs ${K}, which no module gives`;
      }[keyof Deps & string]
    : never
  : never;

/** A misspelt step of life would never be taken. */
type PartFault<M extends AnyModule> = M extends AnyModule
  ? Exclude<keyof BuiltBy<M>, keyof Built<unknown>> extends infer Stranger extends string
    ? `${M['name']} gives ${Stranger}, which nobody reads`
    : never
  : never;

export type FaultsOf<L extends readonly AnyModule[], G> =
  | NeedFault<L[number], ServicesOf<L> & G>
  | PartFault<L[number]>
  | `the gauge ${Exclude<keyof Gauges, KeysGiven<L[number], 'gauges'>>} has no source`
  | `the check ${Exclude<CheckName, KeysGiven<L[number], 'health'>>} has no source`;

/** A list that does not fit together does not compile: the missing argument's name says what is wrong. */
export const moduleList = <const L extends readonly AnyModule[]>(
  list: L,
  ..._faults: [FaultsOf<L, Given>] extends [never] ? [] : [fault: FaultsOf<L, Given>]
): L => list;
