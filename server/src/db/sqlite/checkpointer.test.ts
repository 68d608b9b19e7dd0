import { describe, expect, it } from 'vitest';
import { createCheckpointer } from './checkpointer.ts';

describe('the log behind the writes', () => {
  it('that the disk refuses to bring over is told of, and ends no write', () => {
    const told: unknown[] = [];
    const checkpointer = createCheckpointer({
      file: '/nowhere/store.sqlite',
      first: () => {
        throw new Error('disk I/O error');
      },
      onError: (error) => told.push(error),
    });
    for (let i = 0; i < 16; i++) checkpointer.committed();
    expect(told.length).toBeGreaterThan(0);
  });
});
