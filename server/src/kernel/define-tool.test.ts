import { expect, it } from 'vitest';
import { callerOf } from '../../test/support/memory.ts';
import { defineTool, READS, said } from './define-tool.ts';
import { AppError, notFound } from './errors.ts';
import { Strict } from './schema.ts';

const toolThat = (run: () => string) =>
  defineTool({
    name: 'recall',
    description: 'Finds what is remembered.',
    input: Strict({}),
    annotations: READS,
    permission: 'memory:read',
    run: () => said(run()),
  });

const context = {
  caller: callerOf('ada'),
  conversationId: null,
  runId: 'r',
  agentId: null,
  requestId: 'q',
  tainted: false,
  signal: new AbortController().signal,
};

const failing = (error: Error) =>
  toolThat(() => {
    throw error;
  });

it('tells the model why a service refuses a call', async () => {
  await expect(failing(notFound('entity')).call({}, context)).resolves.toMatchObject({
    isError: true,
    content: expect.stringContaining('entity'),
  });
});

it('lets through what ends the run or is a fault of ours', async () => {
  for (const error of [
    new AppError('COST_EXCEEDED', 'no limit leaves room'),
    new AppError('INTERNAL_ERROR', 'something went wrong inside'),
    new Error('a fault'),
  ])
    await expect(failing(error).call({}, context)).rejects.toBe(error);
});

it('refuses arguments that do not fit the schema', async () => {
  const tool = toolThat(() => 'found');
  expect(await tool.call({ other: 1 }, context)).toMatchObject({ isError: true });
  expect(await tool.call({}, context)).toEqual({ isError: false, content: 'found' });
});
