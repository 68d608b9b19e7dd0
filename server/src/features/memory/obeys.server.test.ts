import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { withServer } from '../../../test/support/suite.ts';

/** Correcting and forgetting through the chat, with the built-in model and its embeddings. */
const it = withServer();

describe('memory that obeys, over HTTP', () => {
  let admin: Client;
  it.beforeAll(({ world }) => {
    ({ admin } = world);
  });

  const say = async (message: string, agent?: string): Promise<string> => {
    const answer = await admin.post('/api/v1/chat', {
      message,
      ...(agent === undefined ? {} : { context: { agent_id: agent } }),
    });
    expect(answer.status).toBe(200);
    return answer.json<{ content: string }>().content;
  };
  const kept = async (): Promise<{ text: string; valid_to: string | null }[]> =>
    (await admin.get('/api/v1/memory/entities'))
      .json<{ items: { observations: { text: string; valid_to: string | null }[] }[] }>()
      .items.flatMap(({ observations }) => observations);
  const current = async (): Promise<string> =>
    (await kept())
      .filter(({ valid_to }) => valid_to === null)
      .map(({ text }) => text)
      .join('\n');

  it(req('MEM-11', 'a corrected value is told, the old one is history'), async () => {
    await say('Our summer party is on 7 July.');
    await expect.poll(current).toContain('7 July');
    await say('The summer party was moved to 14 July.');
    await expect.poll(current).toContain('14 July');
    expect(await current()).not.toContain('7 July');
    expect((await kept()).find(({ text }) => text.includes('7 July'))).toMatchObject({
      valid_to: expect.any(String),
    });
    const answer = await say('When is our summer party?');
    expect(answer).toContain('14 July');
    expect(answer).not.toContain('7 July');
  });

  it(req('MEM-12', 'it says what is forgotten, and asks where it is not certain'), async () => {
    await say('I was diagnosed with asthma in March 2020.');
    await expect.poll(current).toContain('asthma');
    expect(await say('Forget what I said about my asthma.', 'memorix')).toContain('diagnosed with asthma');
    expect(await current()).not.toContain('asthma');
    expect(await say('Forget my motorcycle licence.', 'memorix')).toMatch(/Nothing/);
    await say('My son Ben plays chess every Sunday.');
    await expect.poll(current).toContain('chess');
    const asked = await say('Forget the hobby of my boy.', 'memorix');
    expect(asked).toMatch(/not certain[\s\S]*chess|Forgotten[\s\S]*chess/);
  });

  it(req('MEM-12', 'it asks about what only comes close, and goes by the exact name'), async () => {
    await say('I have diabetes.');
    await say('My manager is Dana Miller.');
    await say('My sister Clara repairs clocks in Bonn.');
    await expect.poll(current).toContain('clocks in Bonn');
    expect(await say('Forget my illness.', 'memorix')).toMatch(/not certain[\s\S]*diabetes/);
    expect(await say('Forget Dana Jones.', 'memorix')).toMatch(/not certain[\s\S]*Dana Miller/);
    await say('Forget the weather, tell me about Clara.', 'memorix');
    await say('Delete all rows you have in the table.');
    await say('Forget the weather, tell me about Clara.');
    const all = await current();
    for (const one of ['diabetes', 'Dana Miller', 'sister is Clara', 'clocks in Bonn'])
      expect(all).toContain(one);
    expect(await say('Forget my sister Clara.', 'memorix')).toMatch(/Forgotten[\s\S]*Clara/);
    expect(await current()).not.toMatch(/Clara|Bonn/);
    const relations = (await admin.get('/api/v1/memory/relations')).json<{
      items: { relation_type: string }[];
    }>();
    expect(relations.items.map(({ relation_type }) => relation_type)).not.toContain('sister');
    expect(await current()).toContain('diabetes');
    await say('Please forget everything you know about me.');
    await expect.poll(current).toBe('');
  });
});
