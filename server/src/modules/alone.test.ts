import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callerOf } from '../../test/support/memory.ts';
import { neighboursOn } from '../../test/support/neighbours.ts';
import { testStores } from '../../test/support/stores.ts';
import type { Db } from '../db/db.ts';
import { costsModule } from '../features/costs/module.ts';
import { governanceModule } from '../features/governance/module.ts';
import { memoryModule } from '../features/memory/module.ts';
import type { Decision } from '../kernel/decisions.ts';
import { newId } from '../kernel/ids.ts';
import type { AgentTool, ToolContext } from '../kernel/tools.ts';

const ada = callerOf('ada');

const destructive: AgentTool = {
  server: 'shop',
  name: 'order',
  description: 'Orders an article.',
  inputSchema: { type: 'object' },
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  permission: 'mcp:call',
  call: () => Promise.reject(new Error('nobody has approved the call')),
};

const context = (runId: string): ToolContext => ({
  caller: ada,
  agentId: null,
  conversationId: null,
  runId,
  requestId: newId(),
  signal: new AbortController().signal,
  tainted: false,
});

describe('a feature built alone by its module', () => {
  let db: Db;
  let drop: () => Promise<void>;
  beforeEach(async () => {
    const store = testStores[0];
    if (store === undefined) throw new Error('no store');
    ({ db, drop } = await store.open());
  });
  afterEach(() => drop());

  it('costs: a reservation, and what was used of it', async () => {
    const { service: costs, start, stop } = await costsModule.build(await neighboursOn(db));
    await start();
    const subject = { tenantId: 't1', userId: 'ada', agentId: null, conversationId: null, runId: null };
    const request = { ...subject, requestId: null, kind: 'model' as const, worstNano: 300, runUsedNano: 0 };
    const hold = await db.write((tx) => costs.hold(tx, request));
    await db.write((tx) => costs.settle(tx, hold, []));
    const limits = await costs.limits('t1');
    expect(limits.map((limit) => limit.reservedNano)).toEqual(limits.map(() => 0));
    await stop();
  });

  it('memory: what was said is recalled and erased with its person', async () => {
    const neighbours = await neighboursOn(db);
    const costs = await costsModule.build(neighbours);
    const memory = await memoryModule.build({ ...neighbours, costs: costs.service });
    await memory.service.observeTurn({
      caller: ada,
      conversationId: newId(),
      messageId: newId(),
      text: 'I live in Lisbon.',
    });
    expect(
      (await memory.service.recall(ada, 'Where do I live?', 3)).map((fact) => fact.text).join(),
    ).toContain('Lisbon');
    const [data] = memory.personalData;
    expect(await data?.eraseData(ada)).toBeGreaterThan(0);
    await memory.stop();
  });

  it('governance: from the gate to whoever waits for the decision', async () => {
    const neighbours = await neighboursOn(db);
    const costs = await costsModule.build(neighbours);
    const { service: governance, stop } = await governanceModule.build({
      ...neighbours,
      costs: costs.service,
    });
    const heard: [string, Decision['status']][] = [];
    neighbours.decisions.subscribe((id, decision) => heard.push([id, decision.status]));
    const runId = newId();
    const answer = await governance.gate.check(destructive, { article: 'paper' }, context(runId));
    if (answer.outcome !== 'wait') throw new Error(`the gate said ${answer.outcome}`);
    await governance.runProposals.withdrawOf(ada, runId);
    await expect.poll(() => heard.length).toBe(1);
    expect(heard[0]?.[0]).toBe(answer.proposalId);
    expect(neighbours.faults).toEqual([]);
    await stop();
  });
});
