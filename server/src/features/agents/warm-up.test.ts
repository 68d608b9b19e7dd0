import { describe, expect, it, vi } from 'vitest';
import { createBuiltinEmbedder } from '../../adapters/embeddings/builtin.ts';
import { createWarmUp } from './warm-up.ts';

describe('what is loaded beside the start', () => {
  it('is left to its first use where it is not to be loaded, and keeps no start from being ready', () => {
    const load = vi.fn(() => Promise.resolve());
    const warmUp = createWarmUp({ atStart: false, load, onLoaded: () => {}, onError: () => {} });
    warmUp.begin();
    expect(warmUp.check()).toEqual({ status: 'ok' });
    expect(load).not.toHaveBeenCalled();
  });

  it('is told as loading, then as loaded', async () => {
    const loading = Promise.withResolvers<void>();
    const loaded = vi.fn();
    const warmUp = createWarmUp({
      atStart: true,
      load: () => loading.promise,
      onLoaded: loaded,
      onError: () => {},
    });
    expect(warmUp.check()).toMatchObject({ status: 'failed' });
    warmUp.begin();
    expect(warmUp.check()).toEqual({ status: 'failed', detail: 'the embedding model is being loaded' });
    loading.resolve();
    await vi.waitFor(() => expect(warmUp.check()).toEqual({ status: 'ok' }));
    expect(loaded).toHaveBeenCalledOnce();
  });

  it('says that it cannot be loaded, and is tried again by who asks later', async () => {
    const fails: unknown[] = [];
    let folder = '/nowhere';
    const embedders: { close(): Promise<void> }[] = [];
    const warmUp = createWarmUp({
      atStart: true,
      load: () => {
        const embedder = createBuiltinEmbedder(folder === '' ? {} : { modelDir: folder });
        embedders.push(embedder);
        return embedder.warm();
      },
      onLoaded: () => {},
      onError: (error) => fails.push(error),
    });
    warmUp.begin();
    const now = vi.spyOn(performance, 'now');
    try {
      await vi.waitFor(() => expect(fails).toHaveLength(1), { timeout: 20_000 });
      const failed = {
        status: 'failed',
        detail: 'the embedding model could not be loaded: the log says why',
      };
      expect(warmUp.check()).toEqual(failed);
      expect(String(fails[0])).toMatch(/nowhere|ENOENT/);
      expect(embedders).toHaveLength(1);
      folder = '';
      now.mockReturnValue(1e9);
      expect(warmUp.check()).toEqual(failed);
      now.mockRestore();
      await vi.waitFor(() => expect(warmUp.check()).toEqual({ status: 'ok' }), { timeout: 60_000 });
      expect(embedders).toHaveLength(2);
    } finally {
      now.mockRestore();
      await Promise.all(embedders.map((one) => one.close()));
    }
  }, 90_000);
});
