import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { fieldFaults } from '../../http/map-error.ts';
import { invalid } from '../../kernel/errors.ts';
import type { AgentTool } from '../../kernel/tools.ts';

const ajv = new Ajv({ allErrors: true, strict: false });
// The package's CommonJS default export is the function itself.
(addFormats as unknown as (target: Ajv) => void)(ajv);

/** Throws 422 where the arguments break the tool's schema. A schema that cannot be used is left to the tool itself. */
export const checkArguments = (tool: AgentTool, args: Record<string, unknown>): void => {
  let faults: ErrorObject[];
  try {
    const validate = ajv.compile(tool.inputSchema);
    if (validate(args)) return;
    faults = validate.errors ?? [];
  } catch {
    return;
  }
  throw invalid(
    ...fieldFaults(faults).map(({ field, reason }) => ({
      field: `/tool/arguments${field === '/' ? '' : field}`,
      reason,
    })),
  );
};
