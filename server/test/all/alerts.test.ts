import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { startServer } from '../support/server.ts';

/** Prometheus' own tool on the rules and on what a server gives. It comes with Debian's package prometheus (.ci/run). */
const MONITORING = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'monitoring');

const promtool = (args: readonly string[], input = '') => {
  const ran = spawnSync('promtool', args, { cwd: MONITORING, encoding: 'utf8', input });
  if (ran.error !== undefined)
    throw new Error(`promtool is needed (Debian: prometheus): ${ran.error.message}`);
  return { status: ran.status, text: ran.stdout + ran.stderr };
};

describe(req('OPS-10', 'by promtool'), () => {
  it('the rules are rules', () => {
    const { status, text } = promtool(['check', 'rules', 'alerts.yaml']);
    expect([status, text]).toEqual([0, expect.stringMatching(/SUCCESS: \d+ rules found/)]);
  });

  it('every alert comes under the figures that it is for, and no other', () => {
    const { status, text } = promtool(['test', 'rules', 'alerts.test.yaml']);
    expect([status, text]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('what a server gives has no fault of form', async () => {
    const server = await startServer();
    try {
      const admin = await server.signIn();
      expect((await admin.post('/api/v1/chat', { message: 'hello' })).status).toBe(200);
      const metrics = (await server.anonymous().get('/metrics')).text;
      expect(metrics).toContain('pentarch_runs_total');
      expect(promtool(['check', 'metrics'], metrics)).toEqual({ status: 0, text: '' });
    } finally {
      await server.close();
    }
  });

  it('a fault would be found', () => {
    expect(promtool(['check', 'metrics'], 'some_total_counter{a="b"} 1\n').status).not.toBe(0);
  });
});
