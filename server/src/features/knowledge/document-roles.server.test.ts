import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withServer } from '../../../test/support/suite.ts';

/** What a chat answers from a document that some roles may read. */

interface Said {
  content: string;
  citations: { document_id: string; quote: string }[];
}

let server: TestServer;
let admin: Client;
let analyst: Awaited<ReturnType<typeof newPerson>>;
let user: Client;
let documentId: string;

const it = withServer();
it.beforeAll(async ({ world }) => {
  ({ server, admin } = world);
  analyst = await newPerson(server, admin, { roles: ['analyst'] });
  user = await newPerson(server, admin, { roles: ['user'] });
  const made = await admin.post('/api/v1/knowledge/documents', {
    title: 'Signal book',
    content: 'The foghorn of Cape Ardent sounds every 45 seconds.',
    visibility: 'role',
    roles: ['analyst'],
  });
  expect(made.status).toBe(201);
  documentId = made.json<{ id: string }>().id;
});

const ask = async (client: Client): Promise<Said> => {
  const answer = await client.post('/api/v1/chat', {
    message: 'How often does the foghorn of Cape Ardent sound?',
  });
  expect(answer.status).toBe(200);
  return answer.json<Said>();
};

describe('a document for a role', () => {
  it(req('KNOW-02', 'is quoted and cited to those who have the role'), async () => {
    const said = await ask(analyst);
    expect(said.content).toContain('45 seconds');
    expect(said.citations.map((one) => one.document_id)).toContain(documentId);
  });

  it(req('KNOW-02', 'is neither quoted nor cited to the others, and not found by its id'), async () => {
    const said = await ask(user);
    expect(said.content).not.toContain('45');
    expect(said.citations).toEqual([]);
    expect((await user.get(`/api/v1/knowledge/documents/${documentId}`)).status).toBe(404);
  });

  it(req('KNOW-02', 'is gone from the answers once the role is taken away'), async () => {
    expect((await admin.patch(`/v2/users/${analyst.id}`, { roles: ['user'] })).status).toBe(200);
    // Other roles, other tokens: the person signs in again.
    const said = await ask(await server.signIn(analyst.email, analyst.password));
    expect(said.content).not.toContain('45');
    expect(said.citations).toEqual([]);
  });
});
