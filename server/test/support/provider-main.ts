/**
 * The test provider as a process of its own, for benches and demos:
 * `node server/test/support/provider-main.ts --port 0 [--tokens 50] [--interval-ms 0] [--writes 1] [--record]`.
 * Prints one JSON line `{url}` when ready; ends on SIGTERM or SIGINT.
 */
import { parseArgs } from 'node:util';
import { startTestProvider } from './provider.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    tokens: { type: 'string', default: '50' },
    'interval-ms': { type: 'string', default: '0' },
    writes: { type: 'string', default: '1' },
    'prompt-tokens': { type: 'string', default: '20' },
    record: { type: 'boolean', default: false },
  },
});

const whole = (name: string, text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${name} needs a whole number, not "${text}"`);
  return value;
};

const provider = await startTestProvider({
  port: whole('port', values.port),
  tokens: whole('tokens', values.tokens),
  intervalMs: whole('interval-ms', values['interval-ms']),
  writes: whole('writes', values.writes),
  promptTokens: whole('prompt-tokens', values['prompt-tokens']),
  record: values.record,
});

const stop = (): void => {
  provider.close().then(() => process.exit(0));
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.stdout.write(`${JSON.stringify({ url: provider.url })}\n`);
