import type { Db } from '../../db/db.ts';

export interface FeedbackFilter {
  tenantId: string;
  /** Null: of all people of the tenant. */
  userId: string | null;
  agentId: string | null;
  rating: string | null;
  /** Epoch ms, inclusive. */
  since: number;
}

export interface RatedAnswer {
  agentId: string | null;
  rating: string;
  comment: string | null;
  answer: string;
  createdAt: number;
}

const ANSWER_CHARACTERS = 200;

export const createFeedbackStore = (db: Db) => {
  const matching = (filter: FeedbackFilter) => {
    let query = db.read
      .selectFrom('message_feedback as f')
      .innerJoin('messages as m', 'm.id', 'f.message_id')
      .where('f.tenant_id', '=', filter.tenantId)
      .where('f.created_at', '>=', filter.since);
    if (filter.userId !== null) query = query.where('f.user_id', '=', filter.userId);
    if (filter.agentId !== null) query = query.where('m.agent_id', '=', filter.agentId);
    if (filter.rating !== null) query = query.where('f.rating', '=', filter.rating);
    return query;
  };

  return {
    /** Numbers by agent and rating. */
    async counts(
      filter: FeedbackFilter,
    ): Promise<{ agentId: string | null; rating: string; count: number }[]> {
      const rows = await matching(filter)
        .select((e) => ['m.agent_id', 'f.rating', e.fn.countAll<number>().as('n')])
        .groupBy(['m.agent_id', 'f.rating'])
        .execute();
      return rows.map((row) => ({ agentId: row.agent_id, rating: row.rating, count: Number(row.n) }));
    },

    /** Newest first; those with a comment before the others. */
    async newest(filter: FeedbackFilter, limit: number): Promise<RatedAnswer[]> {
      const rows = await matching(filter)
        .select(['m.agent_id', 'f.rating', 'f.comment', 'm.content', 'f.created_at'])
        .orderBy((e) => e.case().when('f.comment', 'is', null).then(1).else(0).end())
        .orderBy('f.created_at', 'desc')
        .orderBy('f.message_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        agentId: row.agent_id,
        rating: row.rating,
        comment: row.comment,
        answer: row.content.slice(0, ANSWER_CHARACTERS).toWellFormed(),
        createdAt: row.created_at,
      }));
    },
  };
};

export type FeedbackStore = ReturnType<typeof createFeedbackStore>;
