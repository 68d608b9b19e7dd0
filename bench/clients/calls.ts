import { createClient } from '../../sdk/typescript/src/index.ts';

/** Rounds of sequential calls through the TypeScript client and through bare fetch; times in ms as JSON. */

const { PENTARCH_URL: baseUrl = '', PENTARCH_API_KEY: key = '', CALLS = '', ROUNDS = '' } = process.env;
const calls = Number(CALLS);

const timed = async (call: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  for (let n = 0; n < calls; n += 1) await call();
  return performance.now() - startedAt;
};

const client = createClient({ baseUrl, auth: key });
const library = (): Promise<unknown> => client.agents.get('zeus');
const bare = async (): Promise<unknown> => {
  const answer = await fetch(`${baseUrl}/api/v1/agents/zeus`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
  });
  return answer.json();
};

await timed(bare);
await timed(library);
const bareMs: number[] = [];
const libraryMs: number[] = [];
for (let round = 0; round < Number(ROUNDS); round += 1) {
  bareMs.push(await timed(bare));
  libraryMs.push(await timed(library));
}
process.stdout.write(`${JSON.stringify({ bareMs, libraryMs })}\n`);
