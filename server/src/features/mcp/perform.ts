import type { SchemaChecker } from '../../http/foreign-schema.ts';
import { fieldFaults } from '../../http/map-error.ts';
import type { Caller } from '../../kernel/caller.ts';
import { AppError, conflict, forbidden, invalid } from '../../kernel/errors.ts';
import { type McpCallResult, McpFault, type McpProgress } from '../../kernel/mcp.ts';
import type { ToolContext } from '../../kernel/tools.ts';
import { mcpErrorOf } from './faults.ts';
import { capResult } from './results.ts';
import type { VisibleTool } from './visible-tools.ts';

/** A direct call may listen to the progress that the server reports. */
export interface ProgressContext extends ToolContext {
  onProgress?: ((progress: McpProgress) => void) | undefined;
}

export interface CallSample {
  server: string;
  tool: string;
  outcome: 'ok' | 'tool_error' | 'error' | 'timeout';
  seconds: number;
}

export interface PerformOptions {
  schemas: SchemaChecker;
  observeCall(sample: CallSample): void;
}

/** Throws FORBIDDEN, CONFLICT for a tool that is held back. */
export const assertUsable = (tool: VisibleTool, caller: Caller): void => {
  if (tool.permission !== null && !caller.permissions.has(tool.permission)) throw forbidden(tool.permission);
  if (tool.pin.held) {
    throw conflict('this tool is held back until an operator accepts it', {
      pinned: tool.pin.pinned,
      suspicious: tool.pin.suspicious,
    });
  }
};

/** A call to the server of a tool, without the gate. */
export const createPerform = ({ schemas, observeCall }: PerformOptions) => {
  const checkArguments = (tool: VisibleTool, args: Record<string, unknown>): void => {
    const verdict = schemas.check(tool.info.inputSchema, args);
    if (verdict.ok) return;
    const server = tool.server.definition.name;
    if ('unusable' in verdict) {
      throw new AppError('UPSTREAM_ERROR', `the input schema of ${server}.${tool.info.name} cannot be used`, {
        details: { server, reason: verdict.unusable },
      });
    }
    const fields = fieldFaults(verdict.faults).map(({ field, reason }) => ({
      field: `/arguments${field === '/' ? '' : field}`,
      reason,
    }));
    throw invalid(...fields);
  };

  const checkResult = ({ info }: VisibleTool, raw: McpCallResult): void => {
    const schema = info.outputSchema;
    if (schema === null || raw.isError) return;
    const verdict = schemas.check(schema, raw.structured);
    if (verdict.ok) return;
    const why =
      'unusable' in verdict ? 'its output schema cannot be used' : 'the result breaks its output schema';
    throw new McpFault('protocol', `${info.name}: ${why}`);
  };

  /** The call itself, without the gate. Throws `AppError`. */
  const perform = async (
    tool: VisibleTool,
    args: Record<string, unknown>,
    context: ProgressContext,
    timeoutMs: number,
  ) => {
    const { definition, runtime } = tool.server;
    const started = performance.now();
    const sample = (outcome: CallSample['outcome']): void =>
      observeCall({
        server: definition.name,
        tool: tool.info.name,
        outcome,
        seconds: (performance.now() - started) / 1000,
      });
    try {
      const { onProgress, signal } = context;
      const raw = await runtime.callTool(tool.info.name, args, { signal, timeoutMs, context, onProgress });
      checkResult(tool, raw);
      const result = capResult(raw);
      sample(result.isError ? 'tool_error' : 'ok');
      return { result, durationMs: Math.round((performance.now() - started) * 100) / 100 };
    } catch (error) {
      sample(error instanceof McpFault && error.kind === 'timeout' ? 'timeout' : 'error');
      throw mcpErrorOf(error, definition.name);
    }
  };

  return { checkArguments, perform };
};

export type Perform = ReturnType<typeof createPerform>;
