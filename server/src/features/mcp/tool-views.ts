import { LRUCache } from 'lru-cache';
import type { Caller } from '../../kernel/caller.ts';
import type { PinnedTool } from './pins.ts';
import type { ServerViews } from './server-views.ts';
import { indexNames, type NameIndex, nameWarnings, skeletonOf } from './suspicion.rules.ts';
import type { VisibleTool } from './visible-tools.ts';

/** Tools as an operator looks at them before they are accepted. */
export const createToolViews = ({ visibleServers }: Pick<ServerViews, 'visibleServers'>) => {
  /** Names come again at each listing: what each looks like is worked out once. */
  const skeletons = new LRUCache<string, string>({ max: 20_000 });
  const skeleton = (name: string): string => {
    let found = skeletons.get(name);
    if (found === undefined) {
      found = skeletonOf(name);
      skeletons.set(name, found);
    }
    return found;
  };

  const others = (caller: Caller): NameIndex =>
    indexNames(
      visibleServers(caller).flatMap((server) =>
        server.runtime.state().tools.map((tool) => ({ server: server.definition.name, name: tool.name })),
      ),
      skeleton,
    );

  const toolItem = (tool: VisibleTool, around: NameIndex, before: PinnedTool | undefined) => ({
    name: tool.info.name,
    title: tool.info.title,
    description: tool.info.description,
    input_schema: tool.info.inputSchema,
    output_schema: tool.info.outputSchema,
    annotations: tool.info.annotations,
    policy: { ...tool.resolved, pinned: tool.pin.pinned },
    held_back: tool.pin.held,
    warnings: [
      ...(tool.pin.suspicious ? (['suspicious_text'] as const) : []),
      ...nameWarnings(tool.server.definition.name, tool.info, around, skeleton),
    ],
    fingerprint: tool.pin.fingerprint,
    accepted:
      before === undefined
        ? null
        : {
            title: before.title,
            description: before.description,
            input_schema: before.inputSchema,
            output_schema: before.outputSchema,
            annotations: before.annotations,
          },
  });

  return { others, toolItem };
};

export type ToolViews = ReturnType<typeof createToolViews>;
