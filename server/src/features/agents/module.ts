import type { Db } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { MeteredEmbedder } from '../../kernel/embedder.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { runSamples } from '../chat/index.ts';
import { type GovernanceConfig, SEATS } from '../governance/index.ts';
import type { Models } from '../models/index.ts';
import type { EventBus } from '../realtime/index.ts';
import { AGENTS } from './definitions.ts';
import { createRouter } from './router.ts';
import { agentRoutes } from './routes.ts';
import { createRunFigures } from './run-figures.ts';
import { createAgentService } from './service.ts';
import { createAgentStates } from './states.ts';
import { createAgentStore } from './store.ts';
import { suggestionRoutes } from './suggestions.routes.ts';
import { createSuggestionStore } from './suggestions.store.ts';
import { createSuggestions } from './suggestions.ts';
import { agentTools } from './tools.ts';
import { createWarmUp } from './warm-up.ts';

export interface AgentsDeps extends Pick<Given, 'clock' | 'config' | 'lifecycle' | 'logger' | 'onError'> {
  db: Db;
  embedding: { embedder: MeteredEmbedder; warm(): Promise<void> };
  events: Pick<EventBus, 'onEvent'>;
  governanceConfig: Pick<GovernanceConfig, 'seats'>;
  models: Pick<Models, 'resolve' | 'states'>;
  node: Cluster;
}

/** What each agent's seat looks at; a seat that a person holds is none of its agent's. */
const agentSeats = ({ seats }: Pick<GovernanceConfig, 'seats'>): Record<string, string> =>
  Object.fromEntries(
    SEATS.filter((seat) => seats[seat].holder.kind === 'agent').map((seat) => [seat, seats[seat].charter]),
  );

const createService = (
  { clock, db, governanceConfig, models, node }: AgentsDeps,
  told: { before(tenantId: string): Promise<void>; after(tenantId: string): void },
  figures: ReturnType<typeof createRunFigures>['figures'],
) =>
  createAgentService({
    definitions: AGENTS,
    seats: agentSeats(governanceConfig),
    store: createAgentStore(db),
    clock,
    cluster: node,
    figures,
    modelAvailable: (id) => {
      const provider = models.resolve(id).provider;
      return models.states().every((s) => s.provider !== provider || s.state !== 'open');
    },
    modelExists: (id) => {
      try {
        models.resolve(id);
        return true;
      } catch {
        return false;
      }
    },
    onChange: told.before,
    onChanged: told.after,
  });

export const agentsModule = defineModule({
  name: 'agents',
  needs: [
    'clock',
    'config',
    'db',
    'embedding',
    'events',
    'governanceConfig',
    'lifecycle',
    'logger',
    'models',
    'node',
    'onError',
  ],
  build(deps: AgentsDeps) {
    const { clock, config, db, embedding, events, lifecycle, logger, onError } = deps;
    const runFigures = createRunFigures({
      db,
      clock,
      agentIds: AGENTS.map(({ id }) => id),
      samples: runSamples,
      manyRuns: 500,
      onError: (error) => onError(error, 'figures of agents could not be summed up'),
    });
    const agents = createService(
      deps,
      {
        before: (tenantId) => states.prime(tenantId),
        after: (tenantId) => states.changed(tenantId),
      },
      runFigures.figures,
    );
    const states = createAgentStates({
      clock,
      emit: (event) => db.write((tx) => tx.emit(event)),
      list: agents.list,
      onError: (error) => onError(error, 'states of agents could not be looked at'),
    });
    events.onEvent(states.onEvent);
    const suggestions = createSuggestions({ store: createSuggestionStore(db), agents, clock });
    const router = createRouter({ agents: AGENTS, embedder: embedding.embedder, onError });
    const warmUp = createWarmUp({
      atStart: config.EMBEDDING_WARM_UP,
      load: () => embedding.warm().then(() => router.warm({ tenantId: '', userId: '' })),
      onLoaded: (tookMs) => logger.info({ took_ms: tookMs }, 'embedding model loaded'),
      onError: (error) => {
        if (!lifecycle.stopping()) onError(error, 'the embedding model could not be loaded');
      },
    });
    return {
      service: { ...agents, router },
      routes: [...suggestionRoutes(suggestions), ...agentRoutes(agents)],
      tools: [agentTools({ agents, suggestions })],
      health: { embeddings: warmUp.check },
      // Not before: a start that is refused must not end while the model is being read.
      opened: warmUp.begin,
      quiet: () => states.close(),
      stop: () => runFigures.close(),
    };
  },
});
