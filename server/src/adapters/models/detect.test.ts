import { expect, test } from 'vitest';
import { startTestProvider } from '../../../test/support/provider.ts';
import { detectOllama, listModels } from './detect.ts';

test('finds the models of what answers, and null where nothing does', async () => {
  const provider = await startTestProvider({ models: ['llama3.2', 'qwen3'], apiKey: undefined });
  const root = provider.url.replace(/\/v1$/, '');
  expect(await detectOllama(root)).toEqual(['llama3.2', 'qwen3']);
  expect(await detectOllama(`${provider.url}/`)).toEqual(['llama3.2', 'qwen3']);
  expect(await listModels(provider.url, 'any')).toEqual(['llama3.2', 'qwen3']);
  await provider.close();
  expect(await detectOllama(root)).toBeNull();
  expect(await listModels(provider.url, undefined)).toBeNull();
});
