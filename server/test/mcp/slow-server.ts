import { createInterface } from 'node:readline';

/**
 * A stdio MCP server of revision 2026-07-28 that is slow to start: it reads nothing before both questions of an impatient client
 * are there, then answers the first and refuses the second (in the order that the first argument names), as servers do whose
 * interpreter needs its time to load.
 */
const refuseFirst = process.argv[2] === 'refuse-first';
const isSilent = process.argv[2] === 'say-nothing';
const held: { id: number | string; method: string }[] = [];

const answer = ({ id, method }: { id: number | string; method: string }): void => {
  if (isSilent && method === 'initialize') return;
  const body =
    method === 'server/discover'
      ? {
          result: {
            resultType: 'complete',
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: {} },
            serverInfo: { name: 'slow', version: '1' },
            ttlMs: 60_000,
            cacheScope: 'private',
          },
        }
      : method === 'tools/list'
        ? {
            result: {
              resultType: 'complete',
              tools: [{ name: 'now', description: 'The time', inputSchema: { type: 'object' } }],
              ttlMs: 60_000,
              cacheScope: 'private',
            },
          }
        : { error: { code: -32601, message: `${method} is not known` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
};

let isUp = false;
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as { id?: number | string; method: string };
  if (message.id === undefined) return;
  const request = { id: message.id, method: message.method };
  if (isUp) return answer(request);
  held.push(request);
  if (!held.some(({ method }) => method === 'initialize')) return;
  isUp = true;
  for (const one of refuseFirst ? held.toReversed() : held) answer(one);
});
