import type { Db } from '../../db/db.ts';
import { registeredModels } from './generations.store.ts';
import type { EmbeddingModel, PassageIndex } from './passage-index.ts';

/** The embedding models that passages have vectors of; those in use are read once: another node that brings a new one restarts anyway. */
export const createEmbeddingModels = (db: Db, index: PassageIndex) => {
  let models: EmbeddingModel[] = [];

  return {
    /** The registered number of a model; vectors of different models never share a table. */
    async useModel(id: string, dimensions: number, now: number): Promise<EmbeddingModel> {
      const model = await db.write(async (tx) => {
        const known = await registeredModels(tx);
        let used = known.find((m) => m.id === id && m.dimensions === dimensions);
        if (used === undefined) {
          used = { n: (known.at(-1)?.n ?? 0) + 1, id, dimensions };
          await tx
            .insertInto('embedding_models')
            .values({ ...used, created_at: now })
            .execute();
          known.push(used);
        }
        await index.prepare(tx, used);
        models = known;
        return used;
      });
      return model;
    },

    /** Models other than the present one that documents still have the vectors of; empty most of the time, and then free. */
    async earlierModels(current: EmbeddingModel): Promise<EmbeddingModel[]> {
      const earlier = models.filter((m) => m.n !== current.n);
      if (earlier.length === 0) return [];
      const used = await Promise.all(
        earlier.map((m) =>
          db.read.selectFrom('documents').select('id').where('model_n', '=', m.n).limit(1).executeTakeFirst(),
        ),
      );
      return earlier.filter((_, i) => used[i] !== undefined);
    },

    /** Drops vectors of models that no document has any more. */
    async dropUnusedModels(current: EmbeddingModel): Promise<void> {
      await db.write(async (tx) => {
        const used = await tx.selectFrom('documents').select('model_n').distinct().execute();
        const kept = new Set([current.n, ...used.map((row) => row.model_n)]);
        for (const model of models.filter((m) => !kept.has(m.n))) {
          await index.drop(tx, model);
          await tx.deleteFrom('embedding_models').where('n', '=', model.n).execute();
        }
        models = models.filter((m) => kept.has(m.n));
      });
    },
  };
};
