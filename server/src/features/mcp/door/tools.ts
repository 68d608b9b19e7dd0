import { hash } from 'node:crypto';
import {
  type ContentBlock,
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { SchemaChecker } from '../../../http/foreign-schema.ts';
import { fieldFaults } from '../../../http/map-error.ts';
import type { Caller } from '../../../kernel/caller.ts';
import type { Decision } from '../../../kernel/decisions.ts';
import { AppError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { McpContent } from '../../../kernel/mcp.ts';
import { spelledName } from '../../../kernel/tool-names.ts';
import type { AgentTool, ToolGate, ToolLedger, ToolSource } from '../../../kernel/tools.ts';
import { isGatewayTool } from '../agent-tools.ts';
import type { ProgressContext } from '../perform.ts';
import { type Asked, createApprovals, type DoorApprovals } from './approval.ts';
import { serveCompletion } from './completion.ts';
import { type DoorPrompts, servePrompts } from './prompts.ts';
import { type DoorRecords, serveResources } from './resources.ts';

/** What a client of `/mcp` sees: every tool that its user may call, each behind the same gate as everywhere. */
export interface DoorToolOptions {
  sources: readonly ToolSource[];
  gate: ToolGate;
  schemas: SchemaChecker;
  version: string;
  toolLedger: ToolLedger;
  /** What clients read as resources. */
  records: readonly DoorRecords[];
  prompts: DoorPrompts;
  approvals: DoorApprovals;
  /**
   * Clients of older revisions can be asked: their answer comes as a request of its own, which has to reach the process that
   * asked.
   */
  asksSessions: boolean;
  onError(error: unknown): void;
}

type TextResult = {
  content: { type: 'text'; text: string }[];
  isError: boolean;
  structuredContent?: Record<string, unknown>;
};

const NAME = /^[A-Za-z0-9_./-]{1,128}$/;

const fullName = (tool: AgentTool): string => `${tool.server}.${tool.name}`;
/** What clients are told: they hand the names to models, whose providers take no dots. */
const listedName = (tool: AgentTool): string => spelledName(`${tool.server}__${tool.name}`);
/** Some clients turn what is no letter or digit into an underscore. */
const plainName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_');

/**
 * By its name, by the one with a dot under which it was listed before, or by what clients that know no dots made of that
 * where it is one tool alone: never another than was meant.
 */
const findTool = (tools: readonly AgentTool[], wanted: string): AgentTool | undefined => {
  const exact = tools.find((tool) => listedName(tool) === wanted || fullName(tool) === wanted);
  if (exact !== undefined) return exact;
  const alike = tools.filter((tool) => plainName(fullName(tool)) === wanted);
  return alike.length === 1 ? alike[0] : undefined;
};

const failure = (text: string, structured?: Record<string, unknown>): TextResult => ({
  content: [{ type: 'text', text }],
  isError: true,
  ...(structured === undefined ? {} : { structuredContent: structured }),
});

const waiting = (proposalId: string): TextResult =>
  failure(`The call waits for an approval (proposal ${proposalId}). It runs by itself once that is given.`, {
    status: 'awaiting_approval',
    proposal_id: proposalId,
  });

const unclear = (proposalId: string): TextResult =>
  failure(
    `The answer decides nothing: approve must be true or false. The call still waits for an approval (proposal ${proposalId}).`,
    { status: 'awaiting_approval', proposal_id: proposalId },
  );

/** What became of a call whose person was asked. */
const resultOf = ({ status, reason, execution }: Decision): TextResult => {
  if (status !== 'approved') return failure(`the call was not approved: ${reason ?? status}`);
  if (execution?.status !== 'completed') return failure(execution?.error ?? 'the call was not carried out');
  const { result } = execution;
  const structured = asObject(result);
  return {
    content: [{ type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result) }],
    isError: false,
    ...(structured === undefined ? {} : { structuredContent: structured }),
  };
};

const asObject = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;

/** What this caller may call through the door now. */
export const usableTools = async (sources: readonly ToolSource[], caller: Caller): Promise<AgentTool[]> => {
  const lists = await Promise.all(sources.map((source) => source.list(caller, null)));
  const names = new Set<string>();
  return lists.flat().filter((tool) => {
    if (!caller.permissions.has(tool.permission) || !NAME.test(fullName(tool))) return false;
    // A server may name a tool as another one is spelled: the first has the name.
    const listed = listedName(tool);
    if (names.has(listed)) return false;
    names.add(listed);
    return true;
  });
};

/** Equal for lists of tools that a client sees as equal. */
export const signatureOf = (tools: readonly AgentTool[]): string =>
  hash(
    'sha256',
    JSON.stringify(
      tools.map((tool) => [listedName(tool), tool.description, tool.inputSchema, tool.annotations]).sort(),
    ),
    'base64',
  );

/** A server for one caller; `caller` is asked at each message, since permissions change while a session lasts. */
export const createDoorServer = (options: DoorToolOptions, caller: () => Caller): Server => {
  const server = new Server(
    { name: 'pentarch', title: 'Pentarch', version: options.version },
    {
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} },
      instructions:
        'Tools of the organisation, under its governance: a call may have to wait for an approval, and says so.',
    },
  );

  serveResources(server, options.records, caller);
  servePrompts(server, options.prompts, caller);
  serveCompletion(server, options, caller);
  const approvals = createApprovals(options.approvals);

  const usable = (): Promise<AgentTool[]> => usableTools(options.sources, caller());

  server.setRequestHandler('tools/list', async ({ params }) => {
    // All tools come in one page: no cursor is one of ours.
    if (params?.cursor !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'this cursor is not known');
    return {
      tools: (await usable()).map((tool) => ({
        name: listedName(tool),
        description: tool.description,
        inputSchema: { ...tool.inputSchema, type: 'object' as const },
        annotations: {
          readOnlyHint: tool.annotations.readOnly,
          destructiveHint: tool.annotations.destructive,
          idempotentHint: tool.annotations.idempotent,
          openWorldHint: tool.annotations.openWorld,
        },
      })),
    };
  });

  const perform = async (tool: AgentTool, args: Record<string, unknown>, context: ProgressContext) => {
    if (isGatewayTool(tool)) {
      const result = await tool.callForResult(args, context);
      const structured = asObject(result.structured);
      return {
        isError: result.isError,
        answer: {
          content: result.content.filter((block): block is McpContent & ContentBlock =>
            isSpecType.ContentBlock(block),
          ),
          isError: result.isError,
          ...(structured === undefined ? {} : { structuredContent: structured }),
        },
      };
    }
    const outcome = await tool.call(args, context);
    const structured = asObject(outcome.structured);
    return {
      isError: outcome.isError,
      ...(outcome.costNanoUsd === undefined ? {} : { costNanoUsd: outcome.costNanoUsd }),
      answer: {
        content: [{ type: 'text' as const, text: outcome.content }],
        isError: outcome.isError,
        ...(structured === undefined ? {} : { structuredContent: structured }),
      },
    };
  };

  server.setRequestHandler('tools/call', async ({ params }, extra) => {
    const who = caller();
    const tools = await usable();
    const wanted = params.name;
    const tool = findTool(tools, wanted);
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${wanted}`);
    }
    const args = params.arguments ?? {};
    const verdict = options.schemas.check(tool.inputSchema, args);
    if (!verdict.ok) {
      if ('unusable' in verdict) return failure('the input schema of this tool cannot be used');
      const fields = fieldFaults(verdict.faults);
      return failure(fields.map(({ field, reason }) => `${field} ${reason}`).join('; '), { fields });
    }
    const progressToken = extra.mcpReq._meta?.progressToken;
    const context: ProgressContext = {
      caller: who,
      agentId: null,
      conversationId: null,
      runId: null,
      requestId: newId(),
      signal: extra.mcpReq.signal,
      tainted: false,
      ...(progressToken === undefined
        ? {}
        : {
            onProgress: ({ progress, total, message }) => {
              extra.mcpReq
                .notify({
                  method: 'notifications/progress',
                  params: {
                    progressToken,
                    progress,
                    ...(total === undefined ? {} : { total }),
                    ...(message === undefined ? {} : { message }),
                  },
                })
                .catch(options.onError);
            },
          }),
    };
    const asked: Asked = {
      envelope: extra.mcpReq.envelope,
      session: options.asksSessions ? server.getClientCapabilities() : undefined,
      responses: extra.mcpReq.inputResponses,
      signal: extra.mcpReq.signal,
      requestId: context.requestId,
    };
    try {
      const answered = await approvals.answered({ tool, args, caller: who }, asked);
      if (answered !== null) {
        const { decision, proposalId } = answered;
        if (decision === 'unclear') return unclear(proposalId);
        if (decision === 'later') return waiting(proposalId);
        if (decision.status !== 'approved') {
          const reason = decision.reason ?? decision.status;
          await options.toolLedger.refused(tool, args, context, reason, proposalId);
        }
        return resultOf(decision);
      }
      const decision = await options.gate.check(tool, args, context);
      if (decision.outcome === 'denied') {
        await options.toolLedger.refused(tool, args, context, decision.reason, decision.proposalId);
        return failure(`the call was not approved: ${decision.reason}`);
      }
      if (decision.outcome === 'wait') {
        return (await approvals.ask(who, decision.proposalId, asked)) ?? waiting(decision.proposalId);
      }
      return (await options.toolLedger.carryOut(tool, args, context, () => perform(tool, args, context)))
        .answer;
    } catch (error) {
      if (error instanceof AppError && error.code !== 'INTERNAL_ERROR') {
        return failure(error.message, { code: error.code });
      }
      options.onError(error);
      return failure('something went wrong inside');
    }
  });
  return server;
};
