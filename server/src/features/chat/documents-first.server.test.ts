import { describe, expect } from 'vitest';
import type { Client } from '../../../test/support/client.ts';
import { withServer } from '../../../test/support/suite.ts';

/** What a document says is told by the built-in model, whichever specialist the question's words sound like. */

let client: Client;

const DOCUMENTS: [title: string, content: string, type: string][] = [
  ['Mooring', 'A mooring rope is replaced after 18 months. Anchors are painted each spring.', 'markdown'],
  ['Tower', '東京タワーの高さは333メートルです。展望台は二つあります。', 'markdown'],
  ['Slides', 'First slide\n\nSecond slide says the giraffe quota is ninety two', 'text/plain'],
];

const test = withServer({ env: { MCP_BUILTIN: 'on' } });
test.beforeAll(async ({ world }) => {
  ({ admin: client } = world);
  for (const [title, content, content_type] of DOCUMENTS) {
    const made = await client.post('/api/v1/knowledge/documents', { title, content, content_type });
    expect(made.status).toBe(201);
  }
});

const say = async (message: string, agentId?: string): Promise<{ content: string; agent_id: string }> => {
  const answer = await client.post('/api/v1/chat', {
    message,
    ...(agentId === undefined ? {} : { context: { agent_id: agentId } }),
  });
  expect(answer.status).toBe(200);
  return answer.json();
};

describe('a question that a document answers', () => {
  test.each([
    ['After how many months is a mooring rope replaced?', '18 months'],
    ['How many months does a mooring rope last?', '18 months'],
    ['東京タワーの高さは？', '333メートル'],
    ['What is the giraffe quota?', 'ninety two'],
  ])('%s', async (question, fact) => {
    const answer = await say(question);
    expect(answer).toMatchObject({ agent_id: 'athena', content: expect.stringContaining(fact) });
  });

  test('is answered from it even by an agent that is asked by name', async () => {
    const answer = await say('After how many months is a mooring rope replaced?', 'prometheus');
    expect(answer.content).toContain('18 months');
  });

  test('leaves the platform’s own data to its specialists', async () => {
    expect((await say('How much did we spend this month?')).agent_id).toBe('prometheus');
    expect((await say('What time is it in Tokyo?')).agent_id).toBe('chronos');
  });
});
