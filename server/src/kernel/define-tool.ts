import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from './errors.ts';
import type { Permission } from './permissions.ts';
import type { AgentTool, ToolAnnotations, ToolContext, ToolOutcome, ToolSource } from './tools.ts';

/** How features declare the tools that they give to agents. */

export const READS: ToolAnnotations = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
};
export const WRITES: ToolAnnotations = {
  readOnly: false,
  destructive: false,
  idempotent: true,
  openWorld: false,
};
/** Leaves the platform, and twice is not once: governance stands in front of it. */
export const SENDS: ToolAnnotations = {
  readOnly: false,
  destructive: false,
  idempotent: false,
  openWorld: true,
};

/** Text for the model, and the same as data. */
export const said = (content: string, structured?: unknown): ToolOutcome => ({
  content,
  isError: false,
  ...(structured === undefined ? {} : { structured }),
});
export const refused = (content: string): ToolOutcome => ({ content, isError: true });

/** Faults that end the call: a run without room for what a tool costs is over, whatever its model would say of it. */
const ENDS_CALL: ReadonlySet<string> = new Set(['INTERNAL_ERROR', 'COST_EXCEEDED']);

/** A tool of the platform. What a service refuses (`AppError`) becomes an outcome that the model can read. */
export const defineTool = <S extends TSchema>(definition: {
  name: string;
  description: string;
  input: S;
  annotations: ToolAnnotations;
  permission: Permission;
  taint?: AgentTool['taint'];
  personal?: AgentTool['personal'];
  run(args: Static<S>, context: ToolContext): Promise<ToolOutcome> | ToolOutcome;
}): AgentTool => ({
  server: 'pentarch',
  name: definition.name,
  description: definition.description,
  inputSchema: Object.fromEntries(Object.entries(definition.input)),
  annotations: definition.annotations,
  permission: definition.permission,
  ...(definition.taint === undefined ? {} : { taint: definition.taint }),
  ...(definition.personal === undefined ? {} : { personal: definition.personal }),
  async call(args, context) {
    context.signal.throwIfAborted();
    if (!Value.Check(definition.input, args)) return refused('The arguments do not fit the tool’s schema.');
    try {
      return await definition.run(args, context);
    } catch (error) {
      if (error instanceof AppError && !ENDS_CALL.has(error.code)) return refused(error.message);
      throw error;
    }
  },
});

/** A source of these tools: each caller sees those that they may use. */
export const toolSource = (tools: readonly AgentTool[]): ToolSource => ({
  fixed: true,
  list: (caller) => tools.filter((tool) => caller.permissions.has(tool.permission)),
});
