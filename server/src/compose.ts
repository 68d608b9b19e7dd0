import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { acrossTenants } from './db/scope.ts';
import type { FirstAdmin } from './features/identity/index.ts';
import type { Models } from './features/models/index.ts';
import type { AnyRoute } from './http/route.ts';
import { systemClock } from './kernel/clock.ts';
import { createDecisions } from './kernel/decisions.ts';
import { createToolCatalogue } from './kernel/tool-catalogue.ts';
import type { ToolSource } from './kernel/tools.ts';
import { assemble } from './modules/assemble.ts';
import { MODULES } from './modules/index.ts';
import type { AnyModule, Life } from './modules/module.ts';

/** The composition root: puts the modules of the list in the order of their needs, builds and starts them, and stops them in reverse. */
export interface Platform {
  app: FastifyInstance;
  admin: FirstAdmin;
  models: Models;
  /** Every route of the features, for documents that are generated from them. */
  routes: readonly AnyRoute[];
  /** The same of its tools. */
  tools: readonly ToolSource[];
  /** Settles when this process must not go on, since its place on the store is somebody else's. */
  lost: Promise<Error>;
  /**
   * Not ready at once, but requests are taken for `leadMs` more (default 0); then refuses new work, lets running answers
   * finish for the grace time, saves and closes everything.
   */
  close(leadMs?: number): Promise<void>;
}

/**
 * `publicUrl` is asked late: the port may be known only when the process listens. What is started here for good (timers,
 * workers, what other nodes say) looks after all tenants; requests are bound to theirs by `buildApp`. `more` are modules
 * beside those of the list.
 */
export const compose = (
  config: Config,
  logger: FastifyBaseLogger,
  publicUrl: () => string,
  more: readonly AnyModule[] = [],
): Promise<Platform> => acrossTenants(() => build(config, logger, publicUrl, more));

/** One step of life of all modules, one after the other. */
const takeStep = async (lives: readonly Life[], step: (life: Life) => unknown): Promise<void> => {
  for (const life of lives) await step(life);
};

const build = async (
  config: Config,
  logger: FastifyBaseLogger,
  publicUrl: () => string,
  more: readonly AnyModule[],
): Promise<Platform> => {
  const state = { stopping: false, draining: false };
  const catalogue = createToolCatalogue();
  const { services, built, collected } = await assemble(
    MODULES,
    more,
    {
      config,
      logger,
      clock: systemClock,
      publicUrl,
      onError: (error, message) => logger.error({ err: error }, message),
      lifecycle: {
        startedAt: systemClock.now(),
        stopping: () => state.stopping,
        draining: () => state.draining,
      },
      decisions: createDecisions(),
    },
    catalogue,
  );
  await takeStep(built, (life) => life.start?.());
  await takeStep(built, (life) => life.resume?.());
  for (const life of built) life.opened?.();

  const inReverse = built.toReversed();
  const close = async (leadMs: number): Promise<void> => {
    state.stopping = true;
    for (const life of built) life.stopping?.();
    await delay(leadMs);
    state.draining = true;
    const graceMs = config.SHUTDOWN_GRACE_S * 1000;
    const untilMs = performance.now() + graceMs;
    await Promise.all(built.map((life) => life.drain?.(graceMs)));
    await takeStep(built, (life) => life.drained?.(untilMs));
    await takeStep(inReverse, (life) => life.quiet?.());
    await takeStep(inReverse, (life) => life.stop?.());
  };
  return {
    app: services.http,
    admin: services.identity.firstAdmin(),
    models: services.models,
    lost: services.node.lost,
    routes: collected.routes,
    tools: catalogue.sources,
    close: (leadMs = 0) => acrossTenants(() => close(leadMs)),
  };
};
