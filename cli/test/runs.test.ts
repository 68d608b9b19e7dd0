import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestProvider, type TestProvider } from '../../server/test/support/provider.ts';
import { startServer, type TestServer } from '../../server/test/support/server.ts';
import { run, start } from './run.ts';

/** Runs with tools, votes and Ctrl-C in the terminal, with a scripted model. */

// Each command is a process of its own, and other suites run beside this one.
vi.setConfig({ testTimeout: 180_000 });

const write = (id: string) => ({
  id,
  name: 'files__write_file',
  arguments: JSON.stringify({ path: `${id}.txt`, content: 'x' }),
});

describe('chat', () => {
  let provider: TestProvider;
  let server: TestServer;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    provider = await startTestProvider();
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-cli-runs-'));
    const policies = path.join(folder, 'governance.json');
    writeFileSync(
      policies,
      JSON.stringify({ policies: { files: { tools: { write_file: { approval: 'human' } } } } }),
    );
    server = await startServer({
      env: {
        MODEL: 'compatible/test',
        COMPATIBLE_BASE_URL: provider.url,
        MCP_BUILTIN: 'on',
        MCP_ALLOW_STDIO: `*: ${process.execPath} **`,
        ALLOW_SELF_APPROVAL: 'on',
        GOVERNANCE_FILE: policies,
      },
    });
    const admin = await server.signIn();
    env = {
      PENTARCH_URL: server.url,
      PENTARCH_TOKEN: admin.token ?? '',
      XDG_CONFIG_HOME: path.join(folder, 'config'),
    };
  });
  afterAll(async () => {
    await server?.close();
    await provider?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => provider.reset());

  it('shows tools as they run', async () => {
    provider.script(
      { toolCalls: [{ id: 'a', name: 'time__get_current_time', arguments: '{"timezone": "Asia/Tokyo"}' }] },
      { chunks: ['Late in Tokyo.'] },
    );
    const ended = await run(['chat', '--agent', 'hephaestus', 'What time is it in Tokyo?'], { env });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toBe('Late in Tokyo.\n');
    expect(ended.stderr).toContain('time.get_current_time');
    expect(ended.stderr).toContain('completed');
  });

  it('asks for a vote in the middle of an answer, and carries it', async () => {
    provider.script({ toolCalls: [write('yes')] }, { chunks: ['It is written.'] });
    const talk = start(['chat', '-i', '--agent', 'hephaestus', 'Write it'], { env, input: 'y\n/quit\n' });
    const ended = await talk.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('awaiting_human');
    expect(ended.stderr).toContain('approved by you: approved');
    expect(ended.stdout).toContain('It is written.');
  });

  it('carries a rejection too', async () => {
    provider.script({ toolCalls: [write('no')] }, { chunks: ['Then not.'] });
    const ended = await run(['chat', '-i', '--agent', 'hephaestus', 'Write it'], {
      env,
      input: 'n\n/quit\n',
    });
    expect(ended.stderr).toContain('rejected by you: rejected');
    expect(ended.stdout).toContain('Then not.');
  });

  it('says how to decide where nobody can be asked, and goes on when it was decided', async () => {
    provider.script({ toolCalls: [write('later')] }, { chunks: ['Now it is.'] });
    const waiting = start(['chat', '--agent', 'hephaestus', 'Write it'], { env });
    const [, id = ''] = await waiting.said(/pentarch proposals vote (\S+) approve/);
    const vote = await run(['proposals', 'vote', id, 'approve'], { env });
    expect(vote.code, vote.stderr).toBe(0);
    const ended = await waiting.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain('Now it is.');
  });

  describe('what untrusted content may have led to', () => {
    const read = (url: string) => ({
      id: url.replace(/\W/g, ''),
      name: 'web__get_url',
      arguments: JSON.stringify({ url }),
    });
    beforeAll(async () => {
      const admin = await server.signIn();
      const fixture = path.join(import.meta.dirname, '../../server/test/mcp/fixture-server.ts');
      const made = await admin.post('/v2/mcp/servers', {
        name: 'web',
        transport: 'stdio',
        command: process.execPath,
        args: [fixture, JSON.stringify({ web: true })],
        env: { FIXTURE_LOG: path.join(folder, 'web.log') },
        accept_tools: true,
      });
      expect([made.status, made.text]).toEqual([201, made.text]);
      await vi.waitFor(
        async () => {
          const { items } = (await admin.get('/v2/mcp/servers?limit=100')).json<{
            items: { name: string; status: string }[];
          }>();
          expect(items.find(({ name }) => name === 'web')?.status).toBe('connected');
        },
        { timeout: 20_000 },
      );
    });

    it('is asked of the person with the very call, and their answer counts', async () => {
      provider.script(
        { toolCalls: [read('https://first.test/')] },
        { toolCalls: [read('https://far.test/?d=1')] },
        { chunks: ['That is all.'] },
      );
      const ended = await run(['chat', '-i', '--agent', 'hephaestus', 'Read it'], {
        env,
        input: 'y\n/quit\n',
      });
      expect(ended.stderr).toContain('the call: get_url {"url":"https://far.test/?d=1"}');
      expect(ended.stderr).toContain('approved by you: approved');
      expect(ended.stdout).toContain('That is all.');
    });

    it('is answered by a command where nobody can be asked', async () => {
      provider.script(
        { toolCalls: [read('https://first.test/')] },
        { toolCalls: [read('https://far.test/?d=2')] },
        { chunks: ['Then not.'] },
      );
      const waiting = start(['chat', '--agent', 'hephaestus', 'Read it'], { env });
      const [, id = ''] = await waiting.said(/pentarch proposals confirm (\S+) --approve/);
      const answered = await run(['proposals', 'confirm', id, '--no-approve', '--json'], { env });
      expect(answered.code, answered.stderr).toBe(0);
      expect(JSON.parse(answered.stdout)).toMatchObject({ status: 'rejected' });
      const ended = await waiting.ended;
      expect(ended.stdout).toContain('Then not.');
    });
  });

  it('cancels the run at Ctrl-C and keeps what was said', async () => {
    provider.script({ chunks: ['One, ', 'two, ', 'three'], hangAfter: 2 });
    const long = start(['chat', '--agent', 'hephaestus', 'Count'], { env });
    await long.said(/two,/);
    long.child.kill('SIGINT');
    const ended = await long.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(ended.stderr).toContain('cancelled');
    const list = await run(['conversations', 'list', '--limit', '1', '--json'], { env });
    const [newest] = list.json<{ items: { id: string }[] }>().items;
    const messages = await run(['conversations', 'messages', newest?.id ?? '', '--json'], { env });
    expect(messages.stdout).toContain('One, two, ');
  });
});
