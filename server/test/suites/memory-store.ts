import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { createMemory, type Memory } from '../../src/features/memory/index.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import type { MeteredEmbedder } from '../../src/kernel/embedder.ts';
import type { ToolContext } from '../../src/kernel/tools.ts';
import { req } from '../requirements.ts';
import { nodeOf } from '../support/cluster.ts';
import { callerOf } from '../support/memory.ts';

/** Tools, embeddings, models, search hits, hand-out and erasure. */
export const memoryStoreSuite = (store: string, openDb: () => Promise<Db>): void => {
  describe(`memory beyond its API (${store})`, () => {
    let db: Db;
    let memory: Memory;
    let now = Date.parse('2026-03-01T10:00:00Z');
    const clock = { now: () => now++ };
    beforeAll(async () => {
      db = await openDb();
      memory = createMemory({ db, cluster: nodeOf(db), clock });
    });
    afterAll(() => db.close());

    const context = (caller: Caller, tainted = false): ToolContext => ({
      caller,
      agentId: 'memorix',
      conversationId: 'c1',
      runId: 'r1',
      requestId: 'q1',
      signal: new AbortController().signal,
      tainted,
    });
    const use = async (caller: Caller, name: string, args: Record<string, unknown>, tainted = false) => {
      const tools = await memory.tools.list(caller, 'memorix');
      const found = tools.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no tool ${name}`);
      return found.call(args, context(caller, tainted));
    };
    const who = (userId: string) => ({ tenantId: 't1', userId });
    const texts = async (userId: string, query: string) =>
      (await memory.recall(who(userId), query, 10)).map((fact) => fact.statement);

    it('serves agents: remember, recall, relate, correct, forget, graph', async () => {
      const caller = callerOf('ag');
      expect((await use(caller, 'remember_fact', { entity: 'user', fact: 'works at Acme' })).isError).toBe(
        false,
      );
      await use(caller, 'remember_fact', {
        entity: 'Apollo',
        entity_type: 'project',
        fact: 'deadline is 3 May',
      });
      expect((await use(caller, 'recall', { query: 'Where do I work?' })).content).toContain('works at Acme');
      expect(
        (await use(caller, 'relate', { from: 'user', relation_type: 'leads', to: 'Apollo' })).content,
      ).toContain('leads Apollo');
      const graph = await use(caller, 'memory_graph', { entity: 'user', depth: 2 });
      expect(graph.content).toContain('ag leads Apollo');
      await use(caller, 'correct_fact', { wrong: '3 May', right: '9 May' });
      expect((await texts('ag', 'When is the deadline of Apollo?'))[0]).toBe('deadline is 9 May');
      expect(await texts('ag', 'When is the deadline of Apollo?')).not.toContain('deadline is 3 May');
      expect((await use(caller, 'forget', { topic: 'works at Acme' })).content).toContain('Forgotten');
      expect(await texts('ag', 'Where do I work?')).not.toContain('works at Acme');
      expect((await use(caller, 'recall', { query: 5 })).isError).toBe(true);
      expect(
        (await use(caller, 'remember_fact', { entity: 'user', fact: 'password is hunter2' })).isError,
      ).toBe(true);
    });

    it('gives an agent only tools that its caller may use', async () => {
      const names = async (caller: Caller, agent: string | null) =>
        (await memory.tools.list(caller, agent)).map((one) => one.name).sort();
      expect(await names(callerOf('x', 'readonly'), 'memorix')).toEqual(['memory_graph', 'recall']);
      expect(await names(callerOf('x'), 'athena')).toEqual(['recall', 'remember_fact']);
      expect(await names(callerOf('x'), null)).toHaveLength(6);
    });

    it('keeps what foreign content plants out of every recall, and names the tools that ask first', async () => {
      const caller = callerOf('tai');
      await use(caller, 'remember_fact', { entity: 'user', fact: 'works at Acme' });
      await use(caller, 'remember_fact', { entity: 'user', fact: 'works at Evil Corp' }, true);
      expect(await texts('tai', 'Where do I work?')).toEqual(['works at Acme']);
      // What changes or deletes is asked of the person by the gate; with their yes it is their own word.
      const personal = (await memory.tools.list(caller, null)).filter((one) => one.personal === true);
      expect(personal.map((one) => one.name).sort()).toEqual(['correct_fact', 'forget', 'relate']);
      await use(caller, 'correct_fact', { wrong: 'Acme', right: 'Apex' }, true);
      expect(await texts('tai', 'Where do I work?')).toEqual(['works at Apex']);
    });

    it('keeps agents of an operator out of other people’s memory', async () => {
      await use(callerOf('priv'), 'remember_fact', { entity: 'Zorblax', fact: 'is the code word' });
      const boss = callerOf('boss', 'operator');
      expect((await use(boss, 'recall', { query: 'What is Zorblax?' })).content).not.toContain('code word');
      expect((await use(boss, 'memory_graph', { entity: 'Zorblax' })).content).toContain('Nothing');
    });

    it('recalls by meaning where words differ, and by words when the embedder fails', async () => {
      let failing = false;
      const embedder: MeteredEmbedder = {
        id: 'test/two',
        dimensions: 2,
        local: true,
        embed: (_payer, batch) =>
          failing
            ? Promise.reject(new Error('down'))
            : Promise.resolve({
                vectors: batch.map(
                  (text) => new Float32Array(/automobile|vehicle/.test(text) ? [1, 0] : [0, 1]),
                ),
                tokens: batch.length,
              }),
      };
      const withMeaning = createMemory({ db, cluster: nodeOf(db), clock, embedder });
      await withMeaning.observeTurn({
        caller: callerOf('emb'),
        conversationId: 'c',
        messageId: 'm',
        text: 'Remember that the automobile stands on level 3.',
      });
      const found = await withMeaning.recall(who('emb'), 'vehicle?', 5);
      expect(found.map((fact) => fact.statement)).toEqual(['noted: the automobile stands on level 3']);
      failing = true;
      expect(await withMeaning.recall(who('emb'), 'automobile level', 5)).toHaveLength(1);
      expect(await withMeaning.recall(who('emb'), 'vehicle?', 5)).toEqual([]);
    });

    it('takes facts from a model besides the patterns, and does without when it fails or rambles', async () => {
      const answers: (() => Promise<unknown>)[] = [
        () =>
          Promise.resolve({
            facts: [
              {
                subject: 'user',
                subject_type: 'person',
                fact: 'is training for a marathon',
                attribute: null,
                category: 'fact',
              },
              {
                subject: 'user',
                subject_type: 'person',
                fact: 'lives in Paris',
                attribute: 'residence',
                category: 'identity',
              },
              {
                subject: 'Mia',
                subject_type: 'person',
                fact: 'password is abc',
                attribute: null,
                category: 'fact',
              },
            ],
          }),
        () => Promise.reject(new Error('no model')),
        () => Promise.resolve({ facts: 'none' }),
      ];
      let asked = 0;
      const withModel = createMemory({
        db,
        cluster: nodeOf(db),
        clock,
        ask: () => (answers[asked++] ?? (() => Promise.resolve(null)))(),
      });
      const turn = (text: string) => ({ caller: callerOf('mdl'), conversationId: 'c', messageId: 'm', text });
      await withModel.observeTurn(turn('I live in Oslo and the marathon keeps me busy every morning.'));
      expect(await texts('mdl', 'What about the marathon training?')).toEqual(['is training for a marathon']);
      expect(await texts('mdl', 'Where do I live?')).toEqual(['lives in Oslo']);
      expect((await withModel.observeTurn(turn('I work at Acme, you know.'))).added).toBe(1);
      expect((await withModel.observeTurn(turn('I play the cello every day.'))).added).toBe(1);
      await withModel.observeTurn(turn('What is the weather like?'));
      expect(asked).toBe(3);
    });

    it('ends the relation with the statement that it stands for', async () => {
      const caller = callerOf('end');
      const tell = (text: string) =>
        memory.observeTurn({ caller, conversationId: 'c', messageId: 'm', text });
      await tell('I work at Acme.');
      await tell('I work at Globex.');
      const { relations } = (await memory.exportPersonal(who('end'))) as {
        relations: { relation_type: string; valid_to: string | null }[];
      };
      expect(relations.map((r) => [r.relation_type, r.valid_to === null])).toEqual([
        ['works_at', false],
        ['works_at', true],
      ]);
    });

    it('finds entities for the search of knowledge', async () => {
      const caller = callerOf('knw');
      await use(caller, 'remember_fact', {
        entity: 'Apollo',
        entity_type: 'project',
        fact: 'budget is 40,000',
      });
      await use(caller, 'remember_fact', { entity: 'Apollo', fact: 'budget owner is Ada' });
      const hits = await memory.searchForKnowledge(who('knw'), 'budget of Apollo', 5);
      expect(hits).toHaveLength(1);
      expect(hits[0]).toMatchObject({
        type: 'memory',
        title: 'Apollo',
        metadata: { entity_type: 'project', visibility: 'private' },
      });
      expect(hits[0]?.content.split('\n').sort()).toEqual(['budget is 40,000', 'budget owner is Ada']);
      expect(hits[0]?.score).toBeGreaterThan(0);
      expect(hits[0]?.score).toBeLessThanOrEqual(1);
      expect(await memory.searchForKnowledge(who('knw2'), 'budget of Apollo', 5)).toEqual([]);
    });

    it(req('MEM-06', 'hands out and erases all of a person and nothing of others'), async () => {
      const caller = callerOf('era');
      await memory.observeTurn({
        caller,
        conversationId: 'c',
        messageId: 'm',
        text: 'I live in Oslo. My manager is Priya.',
      });
      await memory.observeTurn({
        caller: callerOf('stay'),
        conversationId: 'c',
        messageId: 'm',
        text: 'I live in Rome.',
      });
      const out = JSON.stringify(await memory.exportPersonal(who('era')));
      for (const word of ['Oslo', 'Priya', 'manager']) expect(out).toContain(word);
      expect(out).not.toContain('Rome');
      expect(await memory.erasePersonal(who('era'))).toEqual({ entities: 3, observations: 2, relations: 2 });
      expect(await memory.exportPersonal(who('era'))).toEqual({
        entities: [],
        relations: [],
        statements_on_shared_entities: [],
      });
      expect(await texts('era', 'Where do I live?')).toEqual([]);
      expect(await texts('stay', 'Where do I live?')).toEqual(['lives in Rome']);
    });

    it('survives the deletion of an entity while it is written to', async () => {
      const caller = callerOf('rac');
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          i % 4 === 3
            ? use(caller, 'forget', { topic: 'Ghost' })
            : use(caller, 'remember_fact', { entity: 'Ghost', entity_type: 'thing', fact: `number ${i}` }),
        ),
      );
      const faults = results.flatMap((r) => (r.status === 'rejected' ? [String(r.reason)] : []));
      expect(faults.filter((fault) => !/not found|at the same time/.test(fault))).toEqual([]);
    });
  });
};
