import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { startTestProvider, type TestProvider, type TestRequest } from '../support/provider.ts';
import { randomFrom } from '../support/random.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * A run of three steps (read the clock, notify, answer) whose server is killed at a random moment, many times: each run ends
 * right, and its one outside effect, the notification, never happens twice. A call that was under way when the server died
 * may or may not have taken effect; then the model is told so, and does not repeat it.
 */
const ROUNDS = 20;
/** The moments come from this seed: the same again with KILL_SEED=<printed number>. */
const SEED = Number(process.env.KILL_SEED ?? 20_260_704);
const CALL_DELAY_MS = 60;
const LAST_MOMENT_MS = 450;
const TIMEOUT_MS = 900_000;

interface RunState {
  status: string;
  error: { code: string } | null;
}
interface Conversation {
  messages: { role: string; content: string; tool_calls: { name: string; status: string }[] }[];
}

const told = (request: TestRequest): string[] =>
  (request.body.messages ?? []).filter((m) => m.role === 'tool').map((m) => String(m.content));
const call = (name: string, args: Record<string, unknown>, id: string) => ({
  id,
  name,
  arguments: JSON.stringify(args),
});

describe('a server that is killed in the middle of a run', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    provider = await startTestProvider();
    server = await startServer({
      env: { MODEL: 'compatible/test', COMPATIBLE_BASE_URL: provider.url, MCP_BUILTIN: 'on' },
    });
    admin = await server.signIn();
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
  });

  const effects = async (title: string): Promise<number> => {
    const listed = await admin.get('/v2/notifications?limit=100');
    return listed.json<{ items: { title: string }[] }>().items.filter((item) => item.title === title).length;
  };

  it(
    req('RUN-02', `${ROUNDS} times at random moments: every run ends right, every effect happened once`),
    async () => {
      process.stdout.write(`kill rounds: KILL_SEED=${SEED}\n`);
      const random = randomFrom(SEED);
      const outcomes: Record<string, number> = {};
      for (let round = 0; round < ROUNDS; round++) {
        provider.reset();
        const title = `round-${round}`;
        provider.always((request) => {
          const step = told(request).length;
          const delay = { firstByteDelayMs: CALL_DELAY_MS };
          if (step === 0)
            return {
              ...delay,
              toolCalls: [call('time__get_current_time', { timezone: 'UTC' }, `${title}-a`)],
            };
          if (step === 1) return { ...delay, toolCalls: [call('notify', { title }, `${title}-b`)] };
          return { chunks: ['done ', title], chunkDelayMs: CALL_DELAY_MS };
        });
        const killAfterMs = Math.floor(random() * LAST_MOMENT_MS);
        const stream = await admin.stream('/api/v1/chat/stream', {
          message: `Do ${title}`,
          context: { agent_id: 'hephaestus' },
        });
        const started = (await stream.next())?.data as { run_id: string; conversation_id: string };
        await sleep(killAfterMs);
        await server.end('SIGKILL');
        stream.close();
        await server.start();
        admin = await server.signIn();
        const runState = async (): Promise<RunState> =>
          (await admin.get(`/api/v1/chat/runs/${started.run_id}`)).json<RunState>();
        const at = `round ${round}, killed after ${killAfterMs} ms`;
        await expect
          .poll(async () => (await runState()).status, { timeout: 60_000, message: at })
          .toMatch(/^(completed|failed)$/);
        const run = await runState();
        const { messages } = (
          await admin.get(`/api/v1/conversations/${started.conversation_id}`)
        ).json<Conversation>();
        const count = await effects(title);
        expect(messages[0], at).toMatchObject({ role: 'user', content: `Do ${title}` });
        if (run.status === 'completed') {
          const answer = messages.at(-1);
          expect(answer?.content, at).toContain(`done ${title}`);
          const notify = answer?.tool_calls.find((item) => item.name === 'notify');
          // Unknown: the server died during the call, and nobody but the effect itself can tell.
          if (notify?.status === 'unknown') expect(count, at).toBeLessThanOrEqual(1);
          else expect([notify?.status, count], at).toEqual(['completed', 1]);
          outcomes[`completed, notify ${notify?.status}`] =
            (outcomes[`completed, notify ${notify?.status}`] ?? 0) + 1;
        } else {
          // Before its first finished step there is nothing to go on from: no effect can have happened.
          expect(run.error?.code, at).toBe('SERVICE_UNAVAILABLE');
          expect(count, at).toBe(0);
          outcomes.failed = (outcomes.failed ?? 0) + 1;
        }
      }
      process.stdout.write(`kill rounds: ${JSON.stringify(outcomes)}\n`);
      // The moments reach into the run, and not only before and behind it.
      expect(outcomes['completed, notify completed'] ?? 0).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
