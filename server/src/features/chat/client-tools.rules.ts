import type { ModelToolCall, ToolSpec } from '../../kernel/model.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import type { SettledCall } from './steps.rules.ts';
import { type ClientTools, parseArguments, toolSpecs } from './tools.rules.ts';

/** What stands for the name of a server at a call of such a tool. */
export const CLIENT = 'client';

/** What the model is told of. A client's tool takes the place of an own one of the same name. */
export const offeredSpecs = (
  tools: readonly AgentTool[],
  client: ClientTools | undefined,
): readonly ToolSpec[] => {
  const own = toolSpecs(tools);
  if (client === undefined) return own;
  const names = new Set(client.tools.map(({ name }) => name));
  return client.choice === undefined
    ? [...own.filter(({ name }) => !names.has(name)), ...client.tools]
    : client.tools;
};

export const isClients = (client: ClientTools | undefined, name: string): boolean =>
  client?.tools.some((tool) => tool.name === name) ?? false;

const UUID_HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;
const CALL_ID = /^call_([\w-]{22})_\d{1,5}$/;

/** Short enough for every provider, and it says whose call it is: the results are found their run by it. */
export const handedCallId = (runId: string, n: number): string =>
  `call_${Buffer.from(runId.replaceAll('-', ''), 'hex').toString('base64url')}_${n}`;

export const runOfCallId = (id: string): string | null => {
  const packed = CALL_ID.exec(id)?.[1];
  if (packed === undefined) return null;
  const parts = UUID_HEX.exec(Buffer.from(packed, 'base64url').toString('hex'));
  return parts === null ? null : parts.slice(1).join('-');
};

/** A call that leaves with the answer; arguments that are none are told to the model instead. */
export const handedCall = (call: ModelToolCall, agentId: string): SettledCall => {
  const parsed = parseArguments(call.arguments);
  const item = {
    id: call.id,
    agent_id: agentId,
    server: CLIENT,
    name: call.name,
    arguments: parsed.ok ? parsed.value : {},
    result: null,
    duration_ms: 0,
    cost_usd: 0,
  };
  const settled = {
    callId: call.id,
    name: call.name,
    passages: [],
    costNano: 0,
    proposalId: null,
    taint: ['context' as const],
  };
  return parsed.ok
    ? { ...settled, item: { ...item, status: 'handed_over', error: null }, text: '' }
    : {
        ...settled,
        item: { ...item, status: 'failed', error: parsed.reason },
        text: `Error: ${parsed.reason}`,
      };
};

const WITHHELD =
  'not handed over: another call of the same answer needed a decision; ask again if it is still needed';

/** The answer waits for a decision, so that its client gets no calls of it: the model is told, and goes on without. */
export const withheld = (call: SettledCall): SettledCall =>
  isHandedOver(call)
    ? { ...call, item: { ...call.item, status: 'failed', error: WITHHELD }, text: `Error: ${WITHHELD}` }
    : call;

export const isHandedOver = (call: SettledCall): boolean => call.item.status === 'handed_over';

/** All calls of own tools, and the first of the client's. */
export const withOneOf = (calls: readonly ModelToolCall[], client: ClientTools): ModelToolCall[] => {
  const first = calls.find(({ name }) => isClients(client, name));
  return calls.filter((call) => call === first || !isClients(client, call.name));
};
