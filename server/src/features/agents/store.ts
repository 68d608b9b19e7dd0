import { compiled } from '../../db/compiled.ts';
import type { Along, Db } from '../../db/db.ts';
import type { AgentSettingsRow } from '../../db/tables/agents.ts';

export interface AgentSettings {
  enabled: boolean;
  model: string | null;
  instructions: string | null;
  /** Its model is told of all its tools with each call, in place of finding some of them. */
  allTools: boolean;
}

export interface AgentStore {
  /** What the tenant changed, by agent id. */
  settings(tenantId: string): Promise<Map<string, AgentSettings>>;
  save(tenantId: string, agentId: string, settings: AgentSettings, now: number, note?: Along): Promise<void>;
}

const COLUMNS = ['agent_id', 'enabled', 'model', 'instructions', 'all_tools'] as const;

/** With several nodes each message asks for them. */
const ofTenant = compiled<{ tenantId: string }, Pick<AgentSettingsRow, (typeof COLUMNS)[number]>>((db, p) =>
  db.selectFrom('agent_settings').select(COLUMNS).where('tenant_id', '=', p('tenantId')),
);

export const createAgentStore = (db: Db): AgentStore => ({
  async settings(tenantId) {
    const rows = await ofTenant(db.read, { tenantId });
    return new Map(
      rows.map((row) => [
        row.agent_id,
        {
          enabled: row.enabled === 1,
          model: row.model,
          instructions: row.instructions,
          allTools: row.all_tools === 1,
        },
      ]),
    );
  },
  save: (tenantId, agentId, settings, now, note) =>
    db.write(async (tx) => {
      const values = {
        enabled: settings.enabled ? 1 : 0,
        model: settings.model,
        instructions: settings.instructions,
        all_tools: settings.allTools ? 1 : 0,
        updated_at: now,
      };
      await tx
        .insertInto('agent_settings')
        .values({ tenant_id: tenantId, agent_id: agentId, ...values })
        .onConflict((c) => c.columns(['tenant_id', 'agent_id']).doUpdateSet(values))
        .execute();
      await note?.(tx);
    }),
});
