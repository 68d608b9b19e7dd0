import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { openSocket } from '../../../test/support/socket-client.ts';
import { withWorld } from '../../../test/support/suite.ts';

const it = withWorld({ env: { MODEL: 'compatible/test' } });

describe('states of agents, on a socket of a user', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;
  it.beforeAll(({ world }) => {
    ({ provider, server, admin } = world);
  });

  it(
    req('AGENT-01', 'are told when an agent is switched off and on, and when a run takes its time'),
    async () => {
      const socket = openSocket(`${server.url.replace('http', 'ws')}/v2/ws`, { token: admin.token ?? '' });
      await socket.next('ready');
      const told = () =>
        socket.messages
          .filter((message) => message.type === 'agent.state')
          .map(
            ({ payload }) =>
              `${String(payload.agent_id)} ${String(payload.previous_state)} → ${String(payload.state)}`,
          );
      const last = (text: string) => expect.poll(() => told().at(-1), { timeout: 10_000 }).toBe(text);
      expect((await admin.patch('/v2/agents/morpheus', { enabled: false })).status).toBe(200);
      await last('morpheus idle → disabled');
      expect((await admin.patch('/v2/agents/morpheus', { enabled: true })).status).toBe(200);
      await last('morpheus disabled → idle');
      const held = Promise.withResolvers<void>();
      provider.script({ chunks: ['At last.'], hold: held.promise });
      const asked = admin.post('/v2/chat', { message: 'Tell me', context: { agent_id: 'iris' } });
      await last('iris idle → busy');
      held.resolve();
      expect((await asked).status).toBe(200);
      await last('iris busy → idle');
      socket.close();
    },
  );
});
