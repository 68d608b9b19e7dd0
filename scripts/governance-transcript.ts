import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '../server/test/support/client.ts';
import { startTestProvider, type TestRequest } from '../server/test/support/provider.ts';
import { startServer } from '../server/test/support/server.ts';

/**
 * `node scripts/governance-transcript.ts` writes the transcript in docs/governance.md: one costly action through a full
 * vote on a real server, once by the written rules and once by a model. The model is the test provider with five written
 * answers; everything else is as it comes from the server. Ids and times are left out.
 */

const FILE = 'docs/governance.md';
const BEGIN = '<!-- generated: transcript -->';
const END = '<!-- /generated: transcript -->';
const POLICIES = { policies: { files: { tools: { write_file: { cost_usd: 74.5 } } } } };
const CALL = {
  tool: 'write_file',
  arguments: { path: 'order.txt', content: 'Forty chairs for the new office.' },
};
const QUESTION = 'Order forty chairs for the new office';

interface Proposal {
  id: string;
  status: string;
  action: string;
  reason?: string;
  estimated_cost: number;
  votes: { voter: string; vote: string; reason: string; confidence: number | null }[];
  tally: { approve: number; reject: number; abstain: number; needed: number; seats: number };
  execution: { status: string; result: unknown } | null;
}
interface Row {
  action: string;
  actor_id: string | null;
  actor_type: string;
  target_id: string | null;
  details: Record<string, unknown>;
}

const VOTES: Readonly<Record<string, [vote: string, reason: string]>> = {
  athena: ['approve', 'It does what the person asked for: the order that the new office needs.'],
  hermes: ['approve', 'It writes one file of the person and reaches nobody outside.'],
  aegis: ['approve', 'No personal data and no sign of injected instructions; the path stays in the folder.'],
  hephaestus: ['approve', 'The tool is available and the file can be written again.'],
  prometheus: ['reject', '74.50 USD for a note of one line is out of proportion to its benefit.'],
};

/** The seat that a request for a vote is for: the prompt names it. */
const seatOf = (request: TestRequest): string =>
  /You hold the seat \\*"(\w+)/.exec(JSON.stringify(request.body.messages ?? []))?.[1] ?? '';

const answer = (request: TestRequest) => {
  if (request.body.response_format !== undefined) {
    const [vote, reason] = VOTES[seatOf(request)] ?? ['abstain', ''];
    return { chunks: [JSON.stringify({ vote, reason, confidence: 0.9, veto_reason: null })] };
  }
  if (request.body.messages?.at(-1)?.role === 'tool') return { chunks: ['The order is written down.'] };
  return {
    toolCalls: [{ id: 'call_1', name: 'files__write_file', arguments: JSON.stringify(CALL.arguments) }],
  };
};

const settled = async (client: Client, id: string): Promise<Proposal> => {
  for (let tries = 0; tries < 600; tries++) {
    const proposal = (await client.get(`/v2/governance/proposals/${id}`)).json<Proposal>();
    const open = ['voting', 'awaiting_human'].includes(proposal.status);
    const running = ['pending', 'running'].includes(proposal.execution?.status ?? '');
    if (!open && !(proposal.status === 'approved' && running)) return proposal;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the proposal was not decided within a minute');
};

const wide = (text: string, width: number): string => text.padEnd(width);

const told = async (client: Client, proposal: Proposal): Promise<string[]> => {
  const trail = (await client.get('/v2/audit?limit=100')).json<{ items: Row[] }>().items.reverse();
  const own = trail.filter(
    (row) =>
      row.target_id === proposal.id ||
      (row.action.startsWith('tool.') && row.target_id === 'files.write_file'),
  );
  const { tally } = proposal;
  return [
    `${wide('action', 11)}${proposal.action}, estimated cost ${proposal.estimated_cost} USD`,
    `${wide('status', 11)}${proposal.status}: ${tally.approve} approve, ${tally.reject} reject, ${tally.abstain} abstain; ${tally.needed} of ${tally.seats} needed`,
    ...[...proposal.votes]
      .sort((a, b) => (a.voter < b.voter ? -1 : 1))
      .map((v) => `${wide(v.voter, 11)}${wide(v.vote, 9)}${v.reason}`),
    `${wide('execution', 11)}${proposal.execution?.status ?? 'none'}`,
    '',
    ...own.map((row, i) => {
      const who =
        row.actor_type === 'user'
          ? 'the person'
          : (row.actor_type === 'agent' && row.actor_id) || row.actor_type;
      const inputs: unknown = row.details.inputs;
      const method =
        typeof inputs === 'object' && inputs !== null && 'method' in inputs ? String(inputs.method) : '';
      return `${wide(`${i + 1}`, 3)}${wide(row.action, 28)}${wide(row.action.startsWith('tool.') ? 'for the person' : who, 15)}${method}`.trimEnd();
    }),
  ];
};

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-transcript-'));
const provider = await startTestProvider();
try {
  const policies = path.join(folder, 'governance.json');
  writeFileSync(policies, JSON.stringify(POLICIES));
  const env = { MCP_BUILTIN: 'on', GOVERNANCE_FILE: policies };

  const plain = await startServer({ env });
  const byRule = await (async () => {
    const client = await plain.signIn();
    const made = await client.post('/v2/mcp/files/call', CALL);
    if (made.status !== 202) throw new Error(`the call was not held: ${made.status} ${made.text}`);
    return told(client, await settled(client, made.json<{ proposal: Proposal }>().proposal.id));
  })().finally(() => plain.close());

  provider.always(answer);
  const modelled = await startServer({
    env: { ...env, MODEL: 'compatible/test', COMPATIBLE_BASE_URL: provider.url },
  });
  const byModel = await (async () => {
    const client = await modelled.signIn();
    const asked = await client.post('/v2/chat', { message: QUESTION, context: { agent_id: 'hephaestus' } });
    const { proposals, conversation_id, content, cost_usd } = asked.json<{
      proposals: string[];
      conversation_id: string;
      content: string;
      cost_usd: number;
    }>();
    const lines = await told(client, await settled(client, proposals[0] ?? ''));
    const conversation = (await client.get(`/v2/conversations/${conversation_id}`)).json<{
      total_cost_usd: number;
    }>();
    return [
      ...lines,
      '',
      `${wide('answer', 11)}${content}`,
      `${wide('costs', 11)}the answer's own calls ${cost_usd} USD, the conversation with votes and the approved call ${conversation.total_cost_usd} USD`,
    ];
  })().finally(() => modelled.close());

  const text = readFileSync(FILE, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${FILE} has no place for the transcript`);
  const block = (lines: string[]): string => ['```text no-test=recorded', ...lines, '```'].join('\n');
  const body = `${BEGIN}\nWithout a model (a direct call of \`files.write_file\`, whose policy says 74.50 USD):\n\n${block(byRule)}\n\nWith a model (the same call, asked for by an agent in a chat):\n\n${block(byModel)}\n`;
  writeFileSync(FILE, `${text.slice(0, from)}${body}${text.slice(to)}`);
} finally {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
}
