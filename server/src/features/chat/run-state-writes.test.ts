import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

it('the state of a run is updated in one file', () => {
  const folder = path.join(import.meta.dirname, '..', '..');
  const writers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => {
      const text = readFileSync(path.join(folder, file), 'utf8');
      return text
        .split(/updateTable\('runs'\)|update runs/)
        .slice(1)
        .some((rest) => /status/.test((rest.split('.where(')[0] ?? '').replaceAll(/\/\/.*/g, '')));
    })
    .map((file) => file.replaceAll(path.sep, '/'));
  expect(writers).toEqual(['features/chat/run-state.store.ts']);
});
