import type { Along, Db } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { AgentSuggestionRow } from '../../db/tables/agents.ts';
import type { PageRequest } from '../../kernel/pagination.ts';

export type { AgentSuggestionRow };

export interface SuggestionFilter {
  tenantId: string;
  status?: string | undefined;
  agentId?: string | undefined;
}

export const createSuggestionStore = (db: Db) => ({
  insert: (row: AgentSuggestionRow): Promise<void> =>
    db.write(async (tx) => {
      await tx.insertInto('agent_suggestions').values(row).execute();
    }),

  find: (tenantId: string, id: string): Promise<AgentSuggestionRow | undefined> =>
    db.read
      .selectFrom('agent_suggestions')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst(),

  /** An open suggestion of the same text for the same agent. */
  same: (tenantId: string, agentId: string, instruction: string): Promise<AgentSuggestionRow | undefined> =>
    db.read
      .selectFrom('agent_suggestions')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('agent_id', '=', agentId)
      .where('status', '=', 'open')
      .where('instruction', '=', instruction)
      .executeTakeFirst(),

  /** Newest first, up to `limit + 1` rows, and the number of all. */
  async list(
    filter: SuggestionFilter,
    page: PageRequest,
  ): Promise<{ rows: AgentSuggestionRow[]; total: number }> {
    let matching = db.read.selectFrom('agent_suggestions').where('tenant_id', '=', filter.tenantId);
    if (filter.status !== undefined) matching = matching.where('status', '=', filter.status);
    if (filter.agentId !== undefined) matching = matching.where('agent_id', '=', filter.agentId);
    return listPage(matching.selectAll(), page);
  },

  /** Decides an open suggestion; undefined where somebody has decided it before. */
  decide: (
    tenantId: string,
    id: string,
    decision: { status: 'accepted' | 'rejected'; by: string; at: number },
    note?: Along,
  ): Promise<AgentSuggestionRow | undefined> =>
    db.write(async (tx) => {
      const row = await tx
        .updateTable('agent_suggestions')
        .set({ status: decision.status, decided_by: decision.by, decided_at: decision.at })
        .where('tenant_id', '=', tenantId)
        .where('id', '=', id)
        .where('status', '=', 'open')
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) await note?.(tx);
      return row;
    }),

  /** Puts a decision back, where what should follow from it did not come about. */
  reopen: (tenantId: string, id: string): Promise<void> =>
    db.write(async (tx) => {
      await tx
        .updateTable('agent_suggestions')
        .set({ status: 'open', decided_by: null, decided_at: null })
        .where('tenant_id', '=', tenantId)
        .where('id', '=', id)
        .execute();
    }),
});

export type SuggestionStore = ReturnType<typeof createSuggestionStore>;
