import { LRUCache } from 'lru-cache';
import { defineTool, said } from '../../kernel/define-tool.ts';
import type { EmbeddingPayer, MeteredEmbedder } from '../../kernel/embedder.ts';
import { AppError } from '../../kernel/errors.ts';
import { ModelError } from '../../kernel/model.ts';
import type { AgentTool, ToolContext, ToolSource } from '../../kernel/tools.ts';
import type { AgentService } from '../agents/index.ts';
import { MAX_DEPTH } from './delegate.ts';
import { withoutTraces } from './temporary.ts';
import {
  addedText,
  FIND_TOOLS_INPUT,
  findToolsBase,
  fittingTools,
  isFindTools,
  textOfTool,
} from './tool-finding.ts';
import { isDelegate, toolsOf } from './tool-list.ts';
import { modelToolName } from './tools.rules.ts';

interface FindToolsOptions {
  agents: Pick<AgentService, 'find'>;
  embedder: MeteredEmbedder;
  /** All sources of a run's tools. */
  toolSources: readonly ToolSource[];
  onError(error: unknown, message: string): void;
}

const MAX_VECTORS = 5_000;

const payerOf = ({ caller, requestId, conversationId, paying }: ToolContext): EmbeddingPayer => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  requestId,
  conversationId: conversationId ?? undefined,
  run: paying,
});

/**
 * The `find_tools` tool: a model that has been told of a few tools gets further ones by what they do. It looks through what the
 * person may use through this agent, and nothing else; that a tool was found opens no gate.
 */
export const createFindTools = (options: FindToolsOptions): ToolSource => {
  const { embedder } = options;
  const vectors = new LRUCache<string, Float32Array>({ max: MAX_VECTORS });

  /** Those of texts that are not known yet are made and paid for once, with the query. */
  const meanings = async (payer: EmbeddingPayer, query: string, tools: readonly AgentTool[]) => {
    const texts = tools.map(textOfTool);
    const missing = [...new Set(texts.filter((text) => !vectors.has(text)))];
    const made = await embedder.embed(payer, [query, ...missing], { urgent: true });
    const fresh = new Map(missing.map((text, i) => [text, made.vectors[i + 1]]));
    for (const [text, vector] of fresh) if (vector !== undefined) vectors.set(text, vector);
    const all = texts.map((text) => fresh.get(text) ?? vectors.get(text) ?? new Float32Array());
    return made.vectors[0] === undefined ? null : { query: made.vectors[0], tools: all };
  };

  /** Null where the embedder is away or no limit leaves room for it: the words alone decide then. */
  const meaningsIfThere = async (
    payer: EmbeddingPayer,
    query: string,
    tools: readonly AgentTool[],
  ): ReturnType<typeof meanings> => {
    try {
      return await meanings(payer, query, tools);
    } catch (error) {
      if (error instanceof AppError && error.code === 'COST_EXCEEDED') return null;
      if (!(error instanceof ModelError)) throw error;
      options.onError(error, 'tools could not be looked for by meaning: words alone decide');
      return null;
    }
  };

  const findable = async ({
    caller,
    agentId,
    depth = 0,
    temporary = false,
  }: ToolContext): Promise<AgentTool[]> => {
    const agent = agentId === null ? null : await options.agents.find(caller.tenantId, agentId);
    if (agent === null) return [];
    const list = await toolsOf(options.toolSources, caller, agent);
    const all = temporary ? withoutTraces(list) : list;
    const tooDeep = depth >= MAX_DEPTH;
    return all.filter((tool) => !isFindTools(tool) && !(tooDeep && isDelegate(tool)));
  };

  const { name, description, annotations } = findToolsBase;
  const tool = defineTool({
    name,
    description,
    input: FIND_TOOLS_INPUT,
    annotations,
    permission: 'chat:write',
    taint: [],
    async run({ query }, context) {
      const tools = await findable(context);
      const found = fittingTools(query, tools, await meaningsIfThere(payerOf(context), query, tools));
      const names = found.map(modelToolName);
      return names.length === 0
        ? said('No tool does that.', { tools: [] })
        : said(addedText(names), { tools: names });
    },
  });

  const none: readonly AgentTool[] = [];
  const one = [tool];
  return {
    fixed: true,
    list: (caller, agentId) => (agentId !== null && caller.permissions.has(tool.permission) ? one : none),
  };
};
