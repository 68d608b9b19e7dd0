import type { Along } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso, isoOrNull } from '../../kernel/clock.ts';
import { conflict, invalid, notFound } from '../../kernel/errors.ts';
import { isUuid, newId } from '../../kernel/ids.ts';
import { type PageRequest, type PageResult, pageResult } from '../../kernel/pagination.ts';
import { MAX_INSTRUCTIONS, SUGGESTION_STATUSES, type Suggestion } from './schema.ts';
import type { AgentService } from './service.ts';
import type { AgentSuggestionRow, SuggestionStore } from './suggestions.store.ts';

/**
 * Suggested changes of instructions: open → accepted | rejected, by an operator. Accepting adds the text to the tenant's
 * instructions of the agent; no agent changes another (or itself) without a person.
 */

const view = (row: AgentSuggestionRow): Suggestion => ({
  id: row.id,
  agent_id: row.agent_id,
  instruction: row.instruction,
  reason: row.reason,
  status: SUGGESTION_STATUSES.find((status) => status === row.status) ?? 'open',
  suggested_by: row.suggested_by,
  created_at: iso(row.created_at),
  decided_by: row.decided_by,
  decided_at: isoOrNull(row.decided_at),
});

export const createSuggestions = (deps: {
  store: SuggestionStore;
  agents: Pick<AgentService, 'find' | 'patch'>;
  clock: Clock;
}) => {
  const { store, agents, clock } = deps;

  const decide = async (
    caller: Caller,
    id: string,
    status: 'accepted' | 'rejected',
    note?: Along,
  ): Promise<AgentSuggestionRow> => {
    if (!isUuid(id) || (await store.find(caller.tenantId, id)) === undefined) throw notFound('suggestion');
    const decided = await store.decide(
      caller.tenantId,
      id,
      { status, by: caller.userId, at: clock.now() },
      note,
    );
    if (decided === undefined) throw conflict('this suggestion is decided already');
    return decided;
  };

  return {
    /** Stores a suggestion; the same text that is open already is not stored twice. Throws 422 for an unknown agent. */
    async suggest(
      caller: Caller,
      input: { agentId: string; instruction: string; reason: string | null; conversationId: string | null },
    ): Promise<{ suggestion: Suggestion; created: boolean }> {
      if ((await agents.find(caller.tenantId, input.agentId)) === null)
        throw invalid({ field: '/agent_id', reason: 'is not an agent' });
      const instruction = input.instruction.trim();
      const same = await store.same(caller.tenantId, input.agentId, instruction);
      if (same !== undefined) return { suggestion: view(same), created: false };
      const row: AgentSuggestionRow = {
        id: newId(),
        tenant_id: caller.tenantId,
        agent_id: input.agentId,
        instruction,
        reason: input.reason,
        status: 'open',
        suggested_by: caller.userId,
        conversation_id: input.conversationId,
        created_at: clock.now(),
        decided_by: null,
        decided_at: null,
      };
      await store.insert(row);
      return { suggestion: view(row), created: true };
    },

    async list(
      caller: Caller,
      filter: { status?: string | undefined; agentId?: string | undefined },
      page: PageRequest,
    ): Promise<PageResult<Suggestion>> {
      const { rows, total } = await store.list({ tenantId: caller.tenantId, ...filter }, page);
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
      return { ...result, items: result.items.map(view) };
    },

    /** Adds the text to the agent's instructions. Throws 404, 409 (decided already, or the instructions are full). */
    async accept(caller: Caller, id: string, note?: Along): Promise<Suggestion> {
      const decided = await decide(caller, id, 'accepted');
      try {
        const agent = await agents.find(caller.tenantId, decided.agent_id);
        if (agent === null) throw notFound('agent');
        const instructions = [agent.instructions, decided.instruction]
          .filter((text) => text !== null && text !== '')
          .join('\n');
        if (instructions.length > MAX_INSTRUCTIONS)
          throw conflict('the instructions of this agent would become too long');
        await agents.patch(caller.tenantId, decided.agent_id, { instructions }, note);
      } catch (error) {
        await store.reopen(caller.tenantId, id);
        throw error;
      }
      return view(decided);
    },

    async reject(caller: Caller, id: string, note?: Along): Promise<Suggestion> {
      return view(await decide(caller, id, 'rejected', note));
    },
  };
};

export type Suggestions = ReturnType<typeof createSuggestions>;
