import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { compose } from '../server/src/compose.ts';
import { loadConfig } from '../server/src/config.ts';
import { AGENTS } from '../server/src/features/agents/index.ts';
import { delegateTool, findToolsBase } from '../server/src/features/chat/index.ts';
import { type Caller, ROLES } from '../server/src/kernel/caller.ts';
import { globMatches } from '../server/src/kernel/glob.ts';
import { isPermission, PERMISSIONS, ROLE_PERMISSIONS } from '../server/src/kernel/permissions.ts';
import type { AgentTool } from '../server/src/kernel/tools.ts';

/**
 * Writes docs/agents.md from the platform as composed with default settings: every agent, its tools with their arguments,
 * and who may use them. `--check` says whether the committed page is fresh.
 */

const FILE = 'docs/agents.md';

const everybody: Caller = {
  userId: 'docs',
  tenantId: 'docs',
  email: 'docs@example.org',
  name: 'docs',
  roles: ['admin'],
  permissions: new Set<string>(PERMISSIONS),
  tier: 'free',
  type: 'person',
  platformAdmin: false,
  whole: true,
  credential: 'jwt',
  tokenId: 'docs',
  sessionId: null,
  expiresAt: null,
};

type DescribedTool = Omit<AgentTool, 'call' | 'goOn'>;

/** Every agent may hand on a part of its task, to those that are switched on. */
const delegate = delegateTool(
  AGENTS.map((definition) => ({
    definition,
    enabled: true,
    model: null,
    instructions: null,
    allTools: false,
  })),
);

/** All tools, and which agents get each. */
const readTools = async (): Promise<{ tool: DescribedTool; agents: string[] }[]> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-docs-'));
  try {
    const config = loadConfig(
      { DATA_DIR: path.join(folder, 'data'), MODEL: 'builtin', LOG_LEVEL: 'silent' },
      folder,
    );
    const platform = await compose(config, pino({ level: 'silent' }), () => 'http://localhost:8080');
    try {
      const found = new Map<string, { tool: DescribedTool; agents: string[] }>([
        ...[delegate, findToolsBase].map((tool): [string, { tool: DescribedTool; agents: string[] }] => [
          `${tool.server}.${tool.name}`,
          { tool, agents: AGENTS.map(({ id }) => id) },
        ]),
      ]);
      for (const agent of AGENTS) {
        for (const source of platform.tools) {
          for (const tool of await source.list(everybody, agent.id)) {
            const name = `${tool.server}.${tool.name}`;
            if (!agent.tools.some((glob) => globMatches(glob, name))) continue;
            const entry = found.get(name) ?? { tool, agents: [] };
            entry.agents.push(agent.id);
            found.set(name, entry);
          }
        }
      }
      return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
    } finally {
      await platform.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();
const nameOf = (tool: DescribedTool): string => `${tool.server}.${tool.name}`;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeText = (schema: Record<string, unknown>): string => {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.type === 'array' && isObject(schema.items)) return `list of ${typeText(schema.items)}`;
  const range = ['minimum', 'maximum', 'maxLength', 'maxItems']
    .filter((bound) => typeof schema[bound] === 'number')
    .map((bound) => `${bound} ${String(schema[bound])}`);
  return [String(schema.type ?? 'any'), ...range].join(', ');
};

const argumentsText = (tool: DescribedTool): string[] => {
  const { properties, required } = tool.inputSchema;
  if (!isObject(properties) || Object.keys(properties).length === 0) return ['No arguments.'];
  const needed = Array.isArray(required) ? required : [];
  return [
    '| argument | required | type | meaning |',
    '|---|---|---|---|',
    ...Object.entries(properties).map(([name, schema]) => {
      const fields = isObject(schema) ? schema : {};
      const about = typeof fields.description === 'string' ? fields.description : '';
      return `| \`${name}\` | ${needed.includes(name) ? 'yes' : ''} | ${cell(typeText(fields))} | ${cell(about)} |`;
    }),
  ];
};

const mayUse = (permission: string): string => {
  const roles = ROLES.filter(
    (role) => isPermission(permission) && ROLE_PERMISSIONS[role].includes(permission),
  );
  return `\`${permission}\` (${roles.join(', ')})`;
};

const kindOf = ({ annotations: a }: DescribedTool): string =>
  [
    a.readOnly ? 'Reads' : 'Changes',
    ...(a.destructive ? ['destructive'] : []),
    ...(a.openWorld ? ['reaches outside'] : []),
    ...(a.idempotent ? [] : ['never repeated after a crash']),
  ].join(', ');

const tools = await readTools();
const lines = [
  '# Agents and their tools',
  '',
  '<!-- Generated by scripts/agents-docs.ts from the code; do not edit. -->',
  '',
  'Agents act with the rights of the person who asks. An agent gets a tool if the agent’s list (“May use”) matches it and the person',
  'has the tool’s permission. A tool reads and changes only what belongs to the person or is shared with them.',
  'Arguments are checked against the schema; then [governance](governance.md) decides on every call.',
  '',
  'Agents also get tools of connected MCP servers that match their list. If an agent has many tools, its model sees those that',
  'the agent names below, up to `TOOL_TOKENS`, and finds the others with `find_tools`. With `all_tools`, it sees all of them.',
  '',
  ...AGENTS.flatMap((agent) => [
    `## ${agent.name} (\`${agent.id}\`)`,
    '',
    agent.charter,
    '',
    `May use: ${agent.tools.map((glob) => `\`${glob}\``).join(', ')}.`,
    '',
    ...(agent.tools.includes('*')
      ? ['Tools: all below.', '']
      : [
          `Tools: ${tools
            .filter(({ agents }) => agents.includes(agent.id))
            .map(({ tool }) => `[${nameOf(tool)}](#${nameOf(tool).replaceAll('.', '')})`)
            .join(', ')}.`,
          '',
        ]),
  ]),
  '## Tools',
  '',
  ...tools.flatMap(({ tool, agents }) => [
    `### ${nameOf(tool)}`,
    '',
    tool.description.replaceAll(/\s+/g, ' '),
    '',
    `Needs ${mayUse(tool.permission)}. ${kindOf(tool)}. Agents: ${agents.join(', ')}.`,
    '',
    ...argumentsText(tool),
    '',
  ]),
];
const text = `${lines.join('\n').trimEnd()}\n`;

const committed = (): string => {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return '';
  }
};

const fresh = committed() === text;
const check = process.argv.includes('--check');
if (!check) writeFileSync(FILE, text);
process.stdout.write(
  check && !fresh ? `${FILE} is stale: run "npm run docs" and commit it\n` : `${tools.length} tools\n`,
);
// The embedding model may still be loading in its worker: nothing of it is wanted here.
process.exit(check && !fresh ? 1 : 0);
