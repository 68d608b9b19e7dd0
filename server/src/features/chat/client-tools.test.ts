import { describe, expect, it } from 'vitest';
import type { AgentTool } from '../../kernel/tools.ts';
import {
  handedCall,
  handedCallId,
  isClients,
  isHandedOver,
  offeredSpecs,
  runOfCallId,
  withheld,
  withOneOf,
} from './client-tools.rules.ts';
import { mayUse, parseArguments, specOf, toolSpecs } from './tools.rules.ts';

const tool = (name: string, server = 's'): AgentTool =>
  ({ server, name, description: `does ${name}`, inputSchema: { type: 'object' } }) as unknown as AgentTool;
const spec = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } });
const client = { tools: [spec('get_weather'), spec('s__read')] };
const call = (name: string, args = '{}') => ({ id: `id of ${name}`, name, arguments: args });
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

describe('tools of the client', () => {
  it('are offered beside the agent’s own, in place of one of the same name, and alone where one has to be called', () => {
    const own = [tool('read'), tool('write')];
    expect(names(offeredSpecs(own, undefined))).toEqual(['s__read', 's__write']);
    expect(names(offeredSpecs(own, client))).toEqual(['s__write', 'get_weather', 's__read']);
    expect(offeredSpecs(own, client).at(-1)).toBe(client.tools[1]);
    expect(offeredSpecs(own, { ...client, choice: 'required' })).toBe(client.tools);
  });

  it('are known by their names', () => {
    expect(isClients(client, 'get_weather')).toBe(true);
    expect(isClients(client, 'get_time')).toBe(false);
    expect(isClients(undefined, 'get_weather')).toBe(false);
  });

  it('get calls whose ids lead to their run', () => {
    const runId = '01890000-0000-7000-8000-0123456789ab';
    const id = handedCallId(runId, 12);
    expect(id).toMatch(/^[\w-]{1,40}$/);
    expect(runOfCallId(id)).toBe(runId);
    for (const other of ['', 'call_1', `${id}x`, `x${id}`, `${id}123456`])
      expect(runOfCallId(other)).toBeNull();
  });

  it('are handed over with their arguments; arguments that are none are told to the model', () => {
    const good = handedCall(call('get_weather', '{"city":"Oslo"}'), 'zeus');
    expect(good).toMatchObject({
      callId: 'id of get_weather',
      text: '',
      proposalId: null,
      taint: ['context'],
      item: {
        agent_id: 'zeus',
        server: 'client',
        status: 'handed_over',
        arguments: { city: 'Oslo' },
        error: null,
      },
    });
    expect(isHandedOver(good)).toBe(true);
    const bad = handedCall(call('get_weather', '[1]'), 'zeus');
    expect(bad).toMatchObject({
      text: 'Error: the arguments must be one JSON object',
      item: { status: 'failed', arguments: {}, error: 'the arguments must be one JSON object' },
    });
    expect(bad.item.arguments).toEqual({});
    expect(isHandedOver(bad)).toBe(false);
  });

  it('get none of the calls of an answer that waits for a decision', () => {
    const kept = withheld(handedCall(call('get_weather'), 'zeus'));
    expect(kept.item.status).toBe('failed');
    expect(kept.text).toMatch(/^Error: not handed over/);
    const failed = handedCall(call('get_weather', '[1]'), 'zeus');
    expect(withheld(failed)).toBe(failed);
  });

  it('are called once in an answer where the client wants that, and own ones as often as they are', () => {
    const calls = [call('s__write'), call('get_weather', '1'), call('s__read', '2'), call('s__write', '3')];
    expect(withOneOf(calls, client)).toEqual([calls[0], calls[1], calls[3]]);
    expect(withOneOf([call('s__write')], client)).toHaveLength(1);
  });
});

describe('tools of an agent', () => {
  it.each([
    ['pentarch.search', '*', true],
    ['pentarch.search', 'pentarch.*', true],
    ['pentarch.search', 'pentarch.search', true],
    ['pentarch.search', '*.search', true],
    ['pentarch.search', 'pentarch.*ch', true],
    ['pentarch.search', 'pentarch', false],
    ['pentarch.search', 'files.*', false],
    ['pentarch.search', '*.read', false],
    ['s.aba', 's.ab*ba', false],
    ['s.abba', 's.ab*ba', true],
    ['files.read', 'f*s.*d', true],
    ['files.read', 'f*x*d', false],
  ])('%s is one of %s: %s', (name, glob, is) => {
    const [server = '', short = ''] = name.split('.');
    expect(mayUse([glob], tool(short, server))).toBe(is);
    expect(mayUse(['none', glob], tool(short, server))).toBe(is);
  });

  it('may be used by some agents and not by others, also when asked again', () => {
    const globs = ['s.read'];
    for (let i = 0; i < 2; i++) {
      expect(mayUse(globs, tool('read'))).toBe(true);
      expect(mayUse(globs, tool('write'))).toBe(false);
      expect(mayUse([], tool('read'))).toBe(false);
    }
  });

  it('are told to a model as the same objects as long as they are the same', () => {
    const read = tool('read');
    expect(specOf({ ...read })).toBe(specOf(read));
    expect(specOf(read)).toEqual({
      name: 's__read',
      description: 'does read',
      inputSchema: { type: 'object' },
    });
    const { inputSchema } = read;
    expect(specOf({ ...read, description: 'other' }).description).toBe('other');
    expect(specOf({ ...tool('write'), inputSchema }).name).toBe('s__write');
    expect(specOf({ ...tool('read', 'other'), inputSchema }).name).toBe('other__read');
    const both = [read, tool('write')];
    expect(toolSpecs([...both])).toBe(toolSpecs(both));
    expect(toolSpecs([read])).not.toBe(toolSpecs(both));
    expect(toolSpecs([...both].reverse())).not.toBe(toolSpecs(both));
  });

  it('are one list also where the objects are new, and no part of another list', () => {
    const three = [tool('one'), tool('two'), tool('three')];
    const list = toolSpecs(three);
    expect(toolSpecs(three)).toBe(list);
    expect(toolSpecs(three.map((one) => ({ ...one })))).toBe(list);
    expect(toolSpecs(three.with(2, tool('other')))).not.toBe(list);
    expect(toolSpecs(three.slice(0, 2))).not.toBe(list);
    // Lists that nobody has used for long are forgotten.
    for (let i = 0; i < 64; i++) toolSpecs([tool(`new ${i}`)]);
    expect(toolSpecs(three.map((one) => ({ ...one })))).not.toBe(list);
    expect(toolSpecs(three.map((one) => ({ ...one })))).toEqual(list);
  });

  it('take one JSON object; no text is none', () => {
    expect(parseArguments(' ')).toEqual({ ok: true, value: {} });
    expect(parseArguments('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } });
    for (const text of ['[1]', 'null', '1', '"x"']) {
      expect(parseArguments(text)).toEqual({ ok: false, reason: 'the arguments must be one JSON object' });
    }
    expect(parseArguments('{')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('not valid JSON'),
    });
  });
});
