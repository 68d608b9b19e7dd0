import { sql } from 'kysely';
import type { Queryable } from '../../db/db.ts';
import type { RunSample } from '../agents/index.ts';
import { samplesOf } from './readings.ts';

/** Runs as the figures of agents need them, where these cannot be added up by the store. */

const COLUMNS = [
  'agent_id',
  'status',
  'usage',
  'cost_nano',
  'tool_call_count',
  'delegated',
  'first_token_ms',
  'created_at',
  'finished_at',
] as const;

/** Of runs that have ended, those in which several agents have worked: a sample of each of them. */
const sharedSamples = async (
  db: Queryable,
  { tenantId, since, until }: { tenantId: string; since: number; until: number },
): Promise<RunSample[]> =>
  (
    await db
      .selectFrom('runs')
      .select(COLUMNS)
      .where('tenant_id', '=', tenantId)
      .where('created_at', '>=', since)
      .where('created_at', '<', until)
      .where('delegated', 'is not', null)
      .where('agent_id', 'is not', null)
      .where('finished_at', 'is not', null)
      .execute()
  ).flatMap(samplesOf);

/** Of those that go on. They are few, and found by their own index: other columns are kept from the choice of one. */
const openSamples = async (
  db: Queryable,
  { tenantId, since }: { tenantId: string; since: number },
): Promise<RunSample[]> =>
  (
    await db
      .selectFrom('runs')
      .select(COLUMNS)
      .where('finished_at', 'is', null)
      .where('created_at', '>=', since)
      .where(sql`tenant_id || ''`, '=', tenantId)
      .where('agent_id', 'is not', null)
      .execute()
  ).flatMap(samplesOf);

export const runSamples = { open: openSamples, shared: sharedSamples };
