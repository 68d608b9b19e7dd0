import { describe, expect } from 'vitest';
import type { TestRequest } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Documents that fit a question are seen by every agent, with a language model too: it need not think of searching. */

const it = withWorld();

const HANDBOOK =
  'Mooring ropes of the pilot boat are replaced after eighteen months. The harbour master signs for each new rope.';

it.beforeAll(async ({ world: { admin } }) => {
  const body = { title: 'Handbook of the pilot boat', content: HANDBOOK };
  expect((await admin.post('/v2/knowledge/documents', body)).status).toBe(201);
});
it.beforeEach(({ world: { provider } }) => {
  provider.reset();
  provider.always({ text: 'Well.' });
});

const promptOf = (request: TestRequest | undefined): string =>
  (request?.body.messages ?? []).map((message) => String(message.content)).join('\n');

describe('an agent that is not there for documents', () => {
  it('sees the passages that are about the question', async ({ world: { admin, provider } }) => {
    const message = 'After how many months are mooring ropes of the pilot boat replaced?';
    const { status } = await admin.post('/v2/agents/chronos/invoke', { message });
    expect(status).toBe(200);
    expect(promptOf(provider.requests.at(-1))).toContain('after eighteen months');
  });

  it.for([
    'When is the next meeting of the finance committee?',
    'Remind me of the mooring ropes of the pilot boat in a year.',
  ])('sees none for: %s', async (message, { world: { admin, provider } }) => {
    const { status } = await admin.post('/v2/agents/chronos/invoke', { message });
    expect(status).toBe(200);
    expect(promptOf(provider.requests.at(-1))).not.toContain('eighteen');
  });
});
