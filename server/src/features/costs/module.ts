import type { FastifyBaseLogger } from 'fastify';
import type { Db, Queryable } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { AGENT_IDS } from '../agents/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Metrics } from '../system/index.ts';
import { findTenant } from '../tenants/index.ts';
import { findUserOfTenant } from '../users/index.ts';
import { alertEvent } from './alert-event.ts';
import { costsBesideRuns } from './beside-runs.ts';
import { openHolds } from './holds.store.ts';
import { type CostsService, createCosts } from './index.ts';
import type { LedgerEntry } from './types.ts';

export interface CostsDeps extends Pick<Given, 'clock' | 'onError'> {
  audit: Pick<Audit, 'append'>;
  db: Db;
  logger: Pick<FastifyBaseLogger, 'warn'>;
  node: Cluster;
  system: { metrics: Pick<Metrics, 'ledger'> };
}

/** IANA zone of a tenant (`settings.timezone`). */
const timeZoneOf = async (tx: Queryable, tenantId: string): Promise<string> => {
  const settings: unknown = JSON.parse((await findTenant(tx, tenantId))?.settings ?? '{}');
  const zone =
    typeof settings === 'object' && settings !== null && 'timezone' in settings ? settings.timezone : 'UTC';
  return typeof zone === 'string' ? zone : 'UTC';
};

const bookedIn =
  (metrics: Pick<Metrics, 'ledger'>) =>
  (entry: LedgerEntry): void =>
    metrics.ledger({
      kind: entry.kind,
      model: entry.model,
      inputTokens: entry.usage?.inputTokens ?? 0,
      outputTokens: entry.usage?.outputTokens ?? 0,
      costUsd: nanoToUsd(entry.costNanoUsd),
    });

export const costsModule = defineModule({
  name: 'costs',
  needs: ['audit', 'clock', 'db', 'logger', 'node', 'onError', 'system'],
  build({ audit, clock, db, logger, node, onError, system }: CostsDeps) {
    const costs = createCosts({
      db,
      clock,
      cluster: node,
      audit,
      timeZoneOf,
      onAlert: async (tx, alert) => {
        tx.afterCommit(() => logger.warn({ alert }, 'cost limit'));
        await tx.emit(alertEvent(alert));
      },
      onError: (error) => onError(error, 'costs'),
      onBooked: bookedIn(system.metrics),
      userExists: async (tenantId, userId) =>
        (await findUserOfTenant(db.read, tenantId, userId)) !== undefined,
      agentExists: (agentId) => AGENT_IDS.includes(agentId),
    });
    const service: CostsService = { ...costs, besideRuns: costsBesideRuns(costs) };
    return {
      service,
      routes: costs.routes(),
      tools: [costs.tools],
      gauges: { reservations: () => openHolds(db, clock.now()) },
      start: () => costs.start(),
      stop: () => costs.close(),
    };
  },
});
