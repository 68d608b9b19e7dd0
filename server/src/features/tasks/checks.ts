import type { Caller } from '../../kernel/caller.ts';
import { invalid } from '../../kernel/errors.ts';
import { MAX_CONTEXT_BYTES } from './schema.ts';

export interface TaskChecks {
  /** As chat takes it: what it would refuse is refused now, and not when the task is due. Throws VALIDATION_ERROR. */
  context(caller: Caller, context: Record<string, unknown> | null | undefined): Promise<void>;
  /** Throws VALIDATION_ERROR for what is no agent. */
  agent(caller: Caller, agentId: string | null | undefined): Promise<void>;
}

export const createTaskChecks = (options: {
  agentExists(tenantId: string, agentId: string): Promise<boolean>;
  checkModel(modelId: string, field: string): void;
}): TaskChecks => {
  const checkAgent = async (
    caller: Caller,
    agentId: string | null | undefined,
    field: string,
  ): Promise<void> => {
    if (agentId === null || agentId === undefined) return;
    if (!(await options.agentExists(caller.tenantId, agentId))) {
      throw invalid({ field, reason: 'is not an agent' });
    }
  };

  return {
    async context(caller, context) {
      if (context === null || context === undefined) return;
      for (const name of ['agent_id', 'model']) {
        const value = context[name];
        if (value === undefined || value === null) continue;
        const field = `/context/${name}`;
        if (typeof value !== 'string') throw invalid({ field, reason: 'must be text' });
        if (name === 'model') options.checkModel(value, field);
        else await checkAgent(caller, value, field);
      }
      if (Buffer.byteLength(JSON.stringify(context)) > MAX_CONTEXT_BYTES) {
        throw invalid({ field: '/context', reason: 'must be at most 32 KiB of JSON' });
      }
    },
    agent: (caller, agentId) => checkAgent(caller, agentId, '/agent_id'),
  };
};
