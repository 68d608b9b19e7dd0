import { z } from 'zod';
import type { McpToolInfo } from '../../kernel/mcp.ts';

/** A page of tools with each tool as it came: one that is not valid must not take the others along. */
export const ToolsPage = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().nullish(),
});

const Annotations = z.looseObject({ title: z.string().nullish() });
const Tool = z.looseObject({
  name: z.string().min(1).max(256),
  title: z.string().nullish(),
  description: z.string().nullish(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: z.looseObject({}).nullish(),
  annotations: Annotations.nullish(),
});

/** The tool, or what is wrong with it. */
export const readTool = (given: unknown): { tool: McpToolInfo } | { fault: string } => {
  const read = Tool.safeParse(given);
  if (!read.success) {
    const named = z.looseObject({ name: z.string() }).safeParse(given);
    const name = named.success ? named.data.name.slice(0, 80) : 'without a name';
    const issue = read.error.issues[0];
    return {
      fault: `the tool ${name} is left out: ${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is invalid'}`,
    };
  }
  const { name, title, description, inputSchema, outputSchema, annotations } = read.data;
  return {
    tool: {
      name,
      title: title ?? annotations?.title ?? null,
      description: description ?? '',
      inputSchema: { ...inputSchema },
      outputSchema: outputSchema == null ? null : { ...outputSchema },
      annotations: annotations == null ? null : { ...annotations },
    },
  };
};
