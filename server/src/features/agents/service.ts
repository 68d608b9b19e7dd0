import { LRUCache } from 'lru-cache';
import type { Along } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { iso } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import type { AgentDefinition } from './definitions.ts';
import { type MetricsWindow, metricsOf, NO_TOTALS, type RunTotals, stateOf, WINDOWS_MS } from './rules.ts';
import type { AgentMetrics, AgentPatch, AgentStatus } from './schema.ts';
import type { AgentSettings, AgentStore } from './store.ts';

export interface AgentServiceOptions {
  definitions: readonly AgentDefinition[];
  seats: Readonly<Record<string, string>>;
  store: AgentStore;
  clock: Clock;
  /** What agents did since a time (epoch ms), by agent; those that did nothing are missing. */
  figures(span: {
    tenantId: string;
    agentIds: readonly string[];
    since: number;
  }): Promise<ReadonlyMap<string, RunTotals>>;
  /** Is the model (null = the default one) reachable, as far as is known? */
  modelAvailable(modelId: string | null): boolean;
  modelExists(modelId: string): boolean;
  /** Told before an agent is switched, and after it. */
  onChange?(tenantId: string): Promise<void>;
  onChanged?(tenantId: string): void;
  /** Where other nodes change settings too, they are read each time. */
  cluster: Pick<Cluster, 'alone'>;
}

/** An agent as the run sees it: definition and the tenant's settings together. */
export interface EffectiveAgent {
  definition: AgentDefinition;
  enabled: boolean;
  model: string | null;
  instructions: string | null;
  allTools: boolean;
}

const DEFAULTS: AgentSettings = { enabled: true, model: null, instructions: null, allTools: false };
const SETTINGS_TTL_MS = 5_000;

export const createAgentService = (options: AgentServiceOptions) => {
  const { definitions, store, clock } = options;
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const cache = new LRUCache<string, Map<string, AgentSettings>>({ max: 10_000, ttl: SETTINGS_TTL_MS });

  const settingsOf = (tenantId: string): Map<string, AgentSettings> | Promise<Map<string, AgentSettings>> => {
    const known = cache.get(tenantId);
    if (known !== undefined && options.cluster.alone) return known;
    return store.settings(tenantId).then((fresh) => {
      cache.set(tenantId, fresh);
      return fresh;
    });
  };

  /** By the settings they come from: the same map as long as those stand. */
  const effectives = new WeakMap<Map<string, AgentSettings>, Map<string, EffectiveAgent>>();
  const effective = async (tenantId: string): Promise<ReadonlyMap<string, EffectiveAgent>> => {
    const settings = await settingsOf(tenantId);
    let known = effectives.get(settings);
    if (known === undefined) {
      known = new Map(
        definitions.map((definition) => [
          definition.id,
          { definition, ...(settings.get(definition.id) ?? DEFAULTS) },
        ]),
      );
      effectives.set(settings, known);
    }
    return known;
  };

  const definitionOf = (id: string): AgentDefinition => {
    const definition = byId.get(id);
    if (definition === undefined) throw notFound('agent');
    return definition;
  };

  const status = (
    definition: AgentDefinition,
    settings: AgentSettings,
    { day, hour }: { day: RunTotals; hour: RunTotals },
  ): AgentStatus => {
    const metrics = metricsOf('24h', day, iso);
    return {
      id: definition.id,
      name: definition.name,
      domain: definition.domain,
      state: stateOf({
        enabled: settings.enabled,
        modelAvailable: options.modelAvailable(settings.model),
        recent: hour,
        activeRuns: metrics.active_runs,
      }),
      enabled: settings.enabled,
      description: definition.charter,
      seat: options.seats[definition.id] ?? null,
      model: settings.model,
      instructions: settings.instructions,
      all_tools: settings.allTools,
      metrics,
    };
  };

  const statuses = async (tenantId: string, of: readonly AgentDefinition[]): Promise<AgentStatus[]> => {
    const now = clock.now();
    const since = (window: MetricsWindow) =>
      options.figures({ tenantId, agentIds: of.map(({ id }) => id), since: now - WINDOWS_MS[window] });
    const [settings, day, hour] = await Promise.all([settingsOf(tenantId), since('24h'), since('1h')]);
    return of.map((definition) =>
      status(definition, settings.get(definition.id) ?? DEFAULTS, {
        day: day.get(definition.id) ?? NO_TOTALS,
        hour: hour.get(definition.id) ?? NO_TOTALS,
      }),
    );
  };

  return {
    definitions,

    /** All agents with the tenant's settings, by id. */
    effective,

    /** One agent with the tenant's settings, or null. */
    async find(tenantId: string, agentId: string): Promise<EffectiveAgent | null> {
      return (await effective(tenantId)).get(agentId) ?? null;
    },

    list: (tenantId: string): Promise<AgentStatus[]> => statuses(tenantId, definitions),

    async get(tenantId: string, id: string): Promise<AgentStatus> {
      const [found] = await statuses(tenantId, [definitionOf(id)]);
      if (found === undefined) throw notFound('agent');
      return found;
    },

    async metrics(tenantId: string, id: string, window: MetricsWindow): Promise<AgentMetrics> {
      definitionOf(id);
      const since = clock.now() - WINDOWS_MS[window];
      const totals = await options.figures({ tenantId, agentIds: [id], since });
      return metricsOf(window, totals.get(id) ?? NO_TOTALS, iso);
    },

    /** Changes an agent for the tenant. Throws NOT_FOUND and, for a model that is not configured, VALIDATION_ERROR. */
    /** `note` is written together with the change. */
    async patch(tenantId: string, id: string, patch: AgentPatch, note?: Along): Promise<AgentStatus> {
      definitionOf(id);
      if (patch.model !== undefined && patch.model !== null && !options.modelExists(patch.model)) {
        throw invalid({ field: '/model', reason: 'is not a configured model' });
      }
      await options.onChange?.(tenantId);
      const before = (await store.settings(tenantId)).get(id) ?? DEFAULTS;
      await store.save(
        tenantId,
        id,
        {
          enabled: patch.enabled ?? before.enabled,
          model: patch.model === undefined ? before.model : patch.model,
          instructions: patch.instructions === undefined ? before.instructions : patch.instructions,
          allTools: patch.all_tools ?? before.allTools,
        },
        clock.now(),
        note,
      );
      cache.delete(tenantId);
      options.onChanged?.(tenantId);
      return this.get(tenantId, id);
    },
  };
};

export type AgentService = ReturnType<typeof createAgentService>;
