import { createSchemaChecker } from '../../http/foreign-schema.ts';
import { fieldFaults } from '../../http/map-error.ts';
import { invalid } from '../../kernel/errors.ts';
import type { AgentTool } from '../../kernel/tools.ts';

const schemas = createSchemaChecker();

/** Throws 422 where the arguments break the tool's schema. A schema that cannot be used is left to the tool itself. */
export const checkArguments = (tool: AgentTool, args: Record<string, unknown>): void => {
  const verdict = schemas.check(tool.inputSchema, args);
  if (verdict.ok || 'unusable' in verdict) return;
  throw invalid(
    ...fieldFaults(verdict.faults).map(({ field, reason }) => ({
      field: `/tool/arguments${field === '/' ? '' : field}`,
      reason,
    })),
  );
};
