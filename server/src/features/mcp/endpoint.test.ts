import { describe, expect, it } from 'vitest';
import { McpFault } from '../../kernel/mcp.ts';
import { redactFault, redactorOf } from './endpoint.ts';
import { redactErrorResult } from './results.ts';

const stdio = redactorOf({
  transport: 'stdio',
  command: 'server',
  args: ['--token=argument-secret', 'plain-argument', '-v'],
  env: { KEY: 'environment-secret', QUOTED: 'one"two\nthree', SHORT: 'abc' },
});
const http = redactorOf({
  transport: 'http',
  url: 'https://mcp.example/path-secret/x?key=query-secret',
  headers: { Authorization: 'Bearer header-secret' },
  trusted: false,
});

describe('secrets of an endpoint', () => {
  it('go out of every text, arguments and escaped forms included', () => {
    const told = stdio(
      'a argument-secret b plain-argument c environment-secret d "one\\"two\\nthree" abc -v',
    );
    expect(told).toBe('a [redacted] b [redacted] c [redacted] d "[redacted]" abc -v');
    expect(http('header-secret query-secret https://mcp.example/path-secret/x?key=query-secret')).toBe(
      '[redacted] [redacted] [redacted]',
    );
  });

  it('go out where the text was cut within one', () => {
    expect(stdio('the key is environment-sec')).toBe('the key is [redacted]');
    expect(stdio('ment-secret was refused')).toBe('[redacted] was refused');
  });

  it('go out of message, stack and cause of a fault, which keeps its kind', () => {
    const fault = redactFault(
      new McpFault('protocol', 'bad environment-secret', new Error('environment-secret')),
      stdio,
    );
    expect(fault.kind).toBe('protocol');
    expect(fault.message).toBe('bad [redacted]');
    expect(`${fault.stack}${String(fault.cause)}`).not.toContain('environment-secret');
  });

  it('go out of what a tool says about its failure, in content and structured content', () => {
    const content = [{ type: 'text', text: 'environment-secret was refused' }];
    const structured = { tried: ['environment-secret'] };
    const failed = redactErrorResult({ content, structured, isError: true }, stdio);
    expect(failed.content).toEqual([{ type: 'text', text: '[redacted] was refused' }]);
    expect(failed.structured).toEqual({ tried: ['[redacted]'] });
    expect(redactErrorResult({ content, structured, isError: false }, stdio).content).toBe(content);
  });
});
