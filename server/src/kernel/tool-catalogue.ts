import type { ToolSource } from './tools.ts';

/**
 * The tools of all modules, in the order of the list of modules. Filled once, when all are built; the arrays stay the same
 * objects, since lists of tools are kept by them.
 */
export interface ToolCatalogue {
  /** For agents and for clients of `/mcp`. */
  readonly sources: readonly ToolSource[];
  /** Those, and what works within a run alone. */
  readonly withinRuns: readonly ToolSource[];
  /** The first, and what clients of `/mcp` get alone. */
  readonly atDoor: readonly ToolSource[];
}

export interface NewTools {
  tools: readonly ToolSource[];
  runTools: readonly ToolSource[];
  doorTools: readonly ToolSource[];
}

export interface FilledToolCatalogue extends ToolCatalogue {
  fill(all: NewTools): void;
}

export const createToolCatalogue = (): FilledToolCatalogue => {
  const sources: ToolSource[] = [];
  const withinRuns: ToolSource[] = [];
  const atDoor: ToolSource[] = [];
  return {
    sources,
    withinRuns,
    atDoor,
    fill({ tools, runTools, doorTools }) {
      sources.push(...tools);
      withinRuns.push(...tools, ...runTools);
      atDoor.push(...tools, ...doorTools);
    },
  };
};
