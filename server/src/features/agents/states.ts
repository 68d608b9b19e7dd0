import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import type { NewEvent, PlatformEvent } from '../../kernel/events.ts';
import type { AgentStatus } from './schema.ts';

/**
 * Tells of agents whose state changes (`agent.state_changed`). A change is looked for when a run begins or ends and when
 * an agent is switched; looks at one tenant are at least a second apart, and what has gone back to what it was between
 * two looks is not told: an answer that takes a moment makes no pair of events.
 */
export interface AgentStatesOptions {
  clock: Clock;
  /** Stores what webhooks are to deliver of it, and tells it. */
  emit(event: NewEvent): Promise<unknown>;
  /** The agents of a tenant as they stand now. */
  list(tenantId: string): Promise<readonly Pick<AgentStatus, 'id' | 'name' | 'state'>[]>;
  onError(error: unknown): void;
}

type State = AgentStatus['state'];

const STATES: readonly State[] = ['idle', 'busy', 'degraded', 'disabled'];
const isState = (value: unknown): value is State => STATES.some((state) => state === value);

interface Tenant {
  /** What was told last, by agent. */
  known: Map<string, State> | null;
  timer: NodeJS.Timeout | null;
  /** The timer is for a trigger, and no mere looking again. */
  urgent: boolean;
  looking: boolean;
  again: boolean;
  /** Epoch ms before which nobody looks. */
  notBefore: number;
}

/** Long enough for a short answer to be over. */
const FIRST_LOOK_MS = 250;
const LOOKS_APART_MS = 1_000;
/** Looking takes one hundredth of the time at most, however many runs there are. */
const SHARE = 100;
/** A state that ends without any event (a provider is back, failures are an hour old) is found by looking again. */
const LOOK_AGAIN_MS = 5_000;
const MAX_TENANTS = 10_000;

const TRIGGERS: ReadonlySet<string> = new Set(['run.started', 'run.completed', 'run.failed']);

export const createAgentStates = (options: AgentStatesOptions) => {
  const { clock } = options;
  const tenants = new LRUCache<string, Tenant>({ max: MAX_TENANTS });
  let closed = false;

  const tenantOf = (tenantId: string): Tenant => {
    let tenant = tenants.get(tenantId);
    if (tenant === undefined) {
      tenant = { known: null, timer: null, urgent: false, looking: false, again: false, notBefore: 0 };
      tenants.set(tenantId, tenant);
    }
    return tenant;
  };

  /** True where some agent is in a state that may end by itself. */
  const look = async (tenantId: string, tenant: Tenant): Promise<boolean> => {
    const startedMs = performance.now();
    const agents = await options.list(tenantId);
    const took = performance.now() - startedMs;
    tenant.notBefore = clock.now() + Math.max(LOOKS_APART_MS, took * SHARE);
    // Whoever was never looked at is taken to have been at rest: its first run is news.
    const before = tenant.known ?? new Map<string, State>();
    tenant.known = new Map(agents.map((agent) => [agent.id, agent.state]));
    for (const { id, name, state } of agents) {
      const previous = before.get(id) ?? 'idle';
      if (state === previous) continue;
      await options.emit({
        type: 'agent.state_changed',
        tenantId,
        userId: null,
        reach: 'tenant',
        permission: 'agents:read',
        data: { agent_id: id, name, state, previous_state: previous },
      });
    }
    return agents.some((agent) => agent.state === 'busy' || agent.state === 'degraded');
  };

  const run = (tenantId: string, tenant: Tenant): void => {
    tenant.looking = true;
    look(tenantId, tenant)
      .catch((error: unknown) => {
        options.onError(error);
        return true;
      })
      .then((restless) => {
        tenant.looking = false;
        if (tenant.again) plan(tenantId, FIRST_LOOK_MS);
        else if (restless) plan(tenantId, LOOK_AGAIN_MS);
        tenant.again = false;
      });
  };

  /** A look in `delayMs` at the latest, unless the last one was a moment ago. */
  const plan = (tenantId: string, delayMs: number): void => {
    if (closed) return;
    const tenant = tenantOf(tenantId);
    if (tenant.looking) {
      tenant.again ||= delayMs === FIRST_LOOK_MS;
      return;
    }
    if (tenant.timer !== null) {
      if (delayMs !== FIRST_LOOK_MS || tenant.urgent) return;
      clearTimeout(tenant.timer);
    }
    // Later triggers do not put an urgent look off: under steady traffic it would never come.
    tenant.urgent = delayMs === FIRST_LOOK_MS;
    const waitMs = Math.max(delayMs, tenant.notBefore - clock.now());
    tenant.timer = setTimeout(() => {
      tenant.timer = null;
      run(tenantId, tenant);
    }, waitMs);
    tenant.timer.unref();
  };

  return {
    /** For the bus: events of all nodes. */
    onEvent(event: PlatformEvent): void {
      if (TRIGGERS.has(event.type)) return plan(event.tenantId, FIRST_LOOK_MS);
      if (event.type !== 'agent.state_changed') return;
      // Told by another node: it is not told again here.
      const { agent_id: id, state } = event.data;
      const known = tenants.peek(event.tenantId)?.known;
      if (typeof id === 'string' && isState(state)) known?.set(id, state);
    },
    /** Before an agent is switched: what it was is known then. */
    async prime(tenantId: string): Promise<void> {
      const tenant = tenantOf(tenantId);
      if (tenant.known !== null) return;
      tenant.known = new Map((await options.list(tenantId)).map((agent) => [agent.id, agent.state]));
    },
    changed: (tenantId: string): void => plan(tenantId, FIRST_LOOK_MS),
    close(): void {
      closed = true;
      for (const tenant of tenants.values()) if (tenant.timer !== null) clearTimeout(tenant.timer);
    },
  };
};

export type AgentStates = ReturnType<typeof createAgentStates>;
