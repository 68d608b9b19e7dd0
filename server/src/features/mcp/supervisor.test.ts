import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type McpConnector, McpFault, type McpSession, type McpSessionEvents } from '../../kernel/mcp.ts';
import { createSupervisor, type SupervisorOptions } from './supervisor.ts';

/** Time stands still unless a test moves it; the server is whatever the test says. */

interface FakeSession extends McpSession {
  events: McpSessionEvents;
  closed: boolean;
}

const tool = {
  name: 'echo',
  title: null,
  description: '',
  inputSchema: {},
  outputSchema: null,
  annotations: null,
};

const fakeServer = () => {
  const sessions: FakeSession[] = [];
  let refuse: McpFault | null = null;
  const behaviour: Partial<McpSession> = {};
  const connector: McpConnector = {
    authorize: async () => null,
    finishAuthorization: async () => {},
    async connect(_endpoint, { events }) {
      if (refuse !== null) throw refuse;
      const session: FakeSession = {
        serverInfo: { name: 'fake', version: '1', title: null },
        protocolVersion: '2025-11-25',
        tellsOfChanges: true,
        pid: null,
        listTools: async () => [tool],
        callTool: async (name) => ({
          content: [{ type: 'text', text: name }],
          structured: undefined,
          isError: false,
        }),
        listResources: async () => [],
        readResource: async () => [],
        listPrompts: async () => [],
        getPrompt: async () => ({}),
        ping: async () => {},
        close: async () => {
          session.closed = true;
        },
        events,
        closed: false,
        ...behaviour,
      };
      sessions.push(session);
      return session;
    },
  };
  return {
    connector,
    sessions,
    behaviour,
    refuse: (fault: McpFault | null) => {
      refuse = fault;
    },
  };
};

const context = { signal: new AbortController().signal, timeoutMs: 1_000, context: {} as never };

describe('a supervised server', () => {
  let server: ReturnType<typeof fakeServer>;
  let supervisor: ReturnType<typeof createSupervisor>;
  const make = (more: Partial<SupervisorOptions> = {}) => {
    supervisor = createSupervisor({
      name: 'fake',
      endpoint: { transport: 'stdio', command: 'x', args: [], env: {} },
      connector: server.connector,
      oauth: undefined,
      clock: { now: () => Date.now() },
      random: () => 0.5,
      onTools: () => {},
      redact: (text) => text.replaceAll('secret', '***'),
      assertAllowed: async () => {},
      ...more,
    });
    supervisor.start();
    return supervisor;
  };
  beforeEach(() => {
    vi.useFakeTimers();
    server = fakeServer();
  });
  afterEach(async () => {
    await supervisor.stop();
    vi.useRealTimers();
  });
  const status = () => supervisor.state().status;
  const settle = () => vi.advanceTimersByTimeAsync(0);

  it('goes from connecting to connected with its tools', async () => {
    make();
    expect(status()).toBe('connecting');
    await settle();
    expect(supervisor.state()).toMatchObject({
      status: 'connected',
      tools: [tool],
      lastError: null,
      serverInfo: { name: 'fake' },
    });
  });

  it.each([
    [false, 2],
    [true, 1],
  ])('whose word on changes is %s is listed %d times in five minutes', async (tellsOfChanges, times) => {
    const listTools = vi.fn(async () => [tool]);
    Object.assign(server.behaviour, { tellsOfChanges, listTools });
    make();
    await settle();
    await vi.advanceTimersByTimeAsync(4 * 60_000);
    expect(listTools).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(listTools).toHaveBeenCalledTimes(times);
  });

  it('that failed is in error until it is connected, not while it is tried again', async () => {
    server.refuse(new McpFault('timeout', 'the server did not answer in time'));
    make();
    await settle();
    expect(status()).toBe('error');
    server.refuse(null);
    server.behaviour.listTools = ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new McpFault('cancelled', 'stopped'))),
      );
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.sessions).toHaveLength(1);
    expect(supervisor.state()).toMatchObject({
      status: 'error',
      lastError: 'the server did not answer in time',
    });
  });

  it('whose tools change while they are listed is asked again, one listing at a time', async () => {
    const answers: ((tools: (typeof tool)[]) => void)[] = [];
    server.behaviour.listTools = () => new Promise((resolve) => answers.push(resolve));
    make();
    await settle();
    server.sessions[0]!.events.onToolsChanged();
    answers[0]!([tool]);
    await settle();
    expect(status()).toBe('connected');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(answers).toHaveLength(2);
    for (let i = 0; i < 3; i++) server.sessions[0]!.events.onToolsChanged();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(answers).toHaveLength(2);
    answers[1]!([tool, { ...tool, name: 'second' }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(answers).toHaveLength(3);
    answers[2]!([tool, { ...tool, name: 'third' }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(answers).toHaveLength(3);
    expect(supervisor.state().tools.map(({ name }) => name)).toEqual(['echo', 'third']);
  });

  it('lets no secret out with the fault of a call', async () => {
    make();
    await settle();
    const session = server.sessions[0];
    if (session === undefined) throw new Error('no session');
    session.callTool = () => Promise.reject(new McpFault('protocol', 'secret', new Error('secret')));
    const fault = await supervisor.callTool('echo', {}, context).catch((error: unknown) => error);
    expect(fault).toMatchObject({ kind: 'protocol', message: '***' });
    expect(fault instanceof Error && `${fault.stack}${String(fault.cause)}`).not.toContain('secret');
  });

  it('tries again after 0.5 s, 1 s, 2 s … up to a minute, and says why it failed', async () => {
    server.refuse(new McpFault('unreachable', 'no secret way'));
    const attempts = vi.spyOn(server.connector, 'connect');
    make();
    await settle();
    expect(supervisor.state()).toMatchObject({ status: 'error', lastError: 'no *** way' });
    const waits = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
    for (const [i, wait] of waits.entries()) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(attempts).toHaveBeenCalledTimes(i + 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(attempts).toHaveBeenCalledTimes(i + 2);
    }
    server.refuse(null);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(status()).toBe('connected');
  });

  it('comes back after a crash', async () => {
    make();
    await settle();
    server.sessions[0]!.events.onClosed('the process exited with code 1');
    expect(supervisor.state()).toMatchObject({
      status: 'error',
      lastError: 'the process exited with code 1',
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(status()).toBe('connected');
    expect(server.sessions).toHaveLength(2);
    expect(server.sessions[0]!.closed).toBe(true);
  });

  it('makes one new session for all calls that find the old one forgotten, and repeats each once', async () => {
    make();
    await settle();
    server.sessions[0]!.callTool = async () => {
      throw new McpFault('expired', 'unknown session');
    };
    const calls = await Promise.all(['a', 'b', 'c'].map((name) => supervisor.callTool(name, {}, context)));
    expect(calls.map((result) => result.content[0]?.text)).toEqual(['a', 'b', 'c']);
    expect(server.sessions).toHaveLength(2);
    expect(server.sessions[0]!.closed).toBe(true);
  });

  it('does not go on for ever when every session is forgotten', async () => {
    server.behaviour.callTool = async () => {
      throw new McpFault('expired', 'unknown session');
    };
    make();
    await settle();
    await expect(supervisor.callTool('a', {}, context)).rejects.toMatchObject({ kind: 'expired' });
    expect(server.sessions).toHaveLength(2);
  });

  it('does not repeat a call that may have run', async () => {
    make();
    await settle();
    const failing = vi.fn(async () => {
      throw new McpFault('closed', 'broke off');
    });
    server.sessions[0]!.callTool = failing;
    await expect(supervisor.callTool('a', {}, context)).rejects.toMatchObject({ kind: 'closed' });
    expect(failing).toHaveBeenCalledTimes(1);
  });

  it('restarts after two silent pings, not after one, and not while a call runs', async () => {
    make({ pingEveryMs: 1_000 });
    await settle();
    let silent = true;
    server.sessions[0]!.ping = async () => {
      if (silent) throw new McpFault('timeout', 'silence');
    };
    await vi.advanceTimersByTimeAsync(1_000);
    silent = false;
    await vi.advanceTimersByTimeAsync(1_000);
    silent = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(status()).toBe('connected');
    let finish = (): void => {};
    server.sessions[0]!.callTool = () =>
      new Promise((resolve) => {
        finish = () => resolve({ content: [], structured: undefined, isError: false });
      });
    const running = supervisor.callTool('a', {}, { ...context, timeoutMs: 60_000 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(status()).toBe('connected');
    finish();
    await running;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(server.sessions[0]!.closed).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(server.sessions).toHaveLength(2);
  });

  it('lists again when the server says that its tools changed', async () => {
    const onTools = vi.fn();
    make({ onTools });
    await settle();
    server.sessions[0]!.listTools = async () => [
      tool,
      { ...tool, name: 'second' },
      { ...tool, description: 'double' },
    ];
    server.sessions[0]!.events.onToolsChanged();
    await settle();
    expect(supervisor.state().tools.map((t) => t.name)).toEqual(['echo', 'second']);
    expect(supervisor.state().tools[0]?.description).toBe('');
    expect(onTools).toHaveBeenCalledTimes(2);
  });

  it('answers 503 while it is away, and waits for a connection that is being made', async () => {
    server.refuse(new McpFault('unreachable', 'away'));
    make();
    await settle();
    await expect(supervisor.callTool('a', {}, context)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { server: 'fake', status: 'error', reason: 'away' },
    });
    server.refuse(null);
    await vi.advanceTimersByTimeAsync(500);
    expect((await supervisor.callTool('a', {}, context)).content[0]?.text).toBe('a');
  });

  it('never starts what is not allowed any more', async () => {
    const attempts = vi.spyOn(server.connector, 'connect');
    make({
      assertAllowed: async () => {
        throw new Error('not allowed');
      },
    });
    await settle();
    expect(supervisor.state()).toMatchObject({ status: 'error', lastError: 'not allowed' });
    expect(attempts).not.toHaveBeenCalled();
  });

  it('lets go of everything when it is stopped, and starts anew', async () => {
    make();
    await settle();
    await supervisor.stop();
    expect(status()).toBe('disabled');
    expect(server.sessions[0]!.closed).toBe(true);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.sessions).toHaveLength(1);
    supervisor.start();
    await settle();
    expect(status()).toBe('connected');
  });
});
