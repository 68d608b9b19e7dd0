import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * A stdio MCP server that says what its script says, however wrong. The script is a file of JSON:
 * `{"<method>": <text of the answer after the id>}`, with `tools/call <name>` for single tools. In the texts `@deep:N@`
 * becomes N arrays in one another and `@times:N:text@` the text N times.
 */
const script = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Record<string, string>;

const expand = (text: string): string =>
  text
    .replaceAll(/@deep:(\d+)@/g, (_all, n: string) => '['.repeat(Number(n)) + ']'.repeat(Number(n)))
    .replaceAll(/@times:(\d+):([^@]*)@/g, (_all, n: string, part: string) => part.repeat(Number(n)));

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as {
    id?: number | string;
    method?: string;
    params?: { name?: string; protocolVersion?: string };
  };
  if (message.id === undefined) return;
  const answer = script[`${message.method} ${message.params?.name}`] ?? script[message.method ?? ''];
  if (answer?.startsWith('raw ')) {
    process.stdout.write(expand(answer.slice(4)));
    return;
  }
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},`;
  const hello = JSON.stringify({
    protocolVersion: message.params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1' },
  });
  const otherwise =
    message.method === 'initialize'
      ? `"result":${hello}`
      : message.method === 'ping'
        ? '"result":{}'
        : '"error":{"code":-32601,"message":"unknown"}';
  process.stdout.write(`${start}${expand(answer ?? otherwise)}}\n`);
});
