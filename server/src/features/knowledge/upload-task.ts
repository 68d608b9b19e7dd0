import { newId } from '../../kernel/ids.ts';
import type { WriteSteps } from './document-write.store.ts';
import type { UploadProgress, UploadRequest } from './ports.ts';
import { type HeldUpload, UploadLost, type UploadStore } from './uploads.store.ts';

/**
 * The work on one upload. It begins with nothing but its request; once that has waited long enough it is `held` by a row of
 * its own (uploads.store.ts), and another process can go on with it.
 */
export interface UploadTask {
  /** Of when it came: later ones are greater. */
  readonly id: string;
  /** Of the document that it becomes. */
  documentId: string;
  /** When it was sent; of a name that waits already, when its first one was. */
  createdAt: number;
  readonly signal: AbortSignal;
  readonly progress: Readonly<UploadProgress>;
  held(): HeldUpload | null;
  report(change: Partial<UploadProgress>): void;
  /**
   * Called before content is written: from then on the request waits for the end. They throw `UploadChanged` where a PATCH came
   * after the one of `seen`.
   */
  steps(seen?: string | null): Promise<WriteSteps>;
  /** What is asked for by now; null where only its request knows. */
  asked(): Promise<UploadRequest | null>;
  /** Nothing was written after all. */
  stepsOver(): void;
  /** Vectors of a batch that an earlier attempt has made of the same texts. */
  known(batch: number, digest: string): Promise<Float32Array[] | null>;
  keep(batch: number, digest: string, vectors: readonly Float32Array[]): Promise<void>;
  /** Makes it held. `writing`: its end is near; `refused`: there is such an upload already. */
  park(add: (held: HeldUpload) => Promise<boolean>): Promise<'held' | 'writing' | 'refused'>;
  abort(reason: unknown): void;
}

const toBytes = (vectors: readonly Float32Array[]): Buffer =>
  Buffer.concat(vectors.map((v) => Buffer.from(v.buffer, v.byteOffset, v.byteLength)));

const toVectors = (bytes: Buffer, dimensions: number): Float32Array[] => {
  // A copy of its own: what the store hands out need not begin at a multiple of four.
  const all = new Float32Array(new Uint8Array(bytes).buffer);
  return Array.from({ length: all.length / dimensions }, (_, i) =>
    all.slice(i * dimensions, (i + 1) * dimensions),
  );
};

const NOTHING = (): Promise<void> => Promise.resolve();

export interface UploadTaskOptions {
  uploads: UploadStore;
  dimensions: number;
  id: string;
  createdAt: number;
  /** Of a row that is there already. */
  present?: { held: HeldUpload; documentId: string };
}

export const createUploadTask = ({
  uploads,
  dimensions,
  id,
  createdAt,
  present,
}: UploadTaskOptions): UploadTask => {
  const abort = new AbortController();
  const progress: UploadProgress = { pagesDone: null, pages: null, chunksDone: 0, chunks: null };
  /** Until it is held. */
  const made = new Map<number, { digest: string; vectors: readonly Float32Array[] }>();
  let held = present?.held ?? null;
  let parking: Promise<boolean> | null = null;
  let writing = false;

  const become = async (next: HeldUpload, add: (held: HeldUpload) => Promise<boolean>): Promise<boolean> => {
    if (!(await add(next))) return false;
    held = next;
    for (const [batch, { digest, vectors }] of made)
      await uploads.keepVectors(next, batch, digest, toBytes(vectors));
    made.clear();
    return true;
  };

  return {
    id,
    documentId: present?.documentId ?? newId(),
    createdAt,
    signal: abort.signal,
    progress,
    held: () => held,
    report: (change) => void Object.assign(progress, change),
    async steps(seen) {
      writing = true;
      const parked = await parking;
      abort.signal.throwIfAborted();
      if (parked === false) throw new UploadLost();
      return held === null
        ? { guard: NOTHING, shown: NOTHING }
        : { guard: uploads.guard(held, seen), shown: uploads.finish(held) };
    },
    async asked() {
      return held === null ? null : ((await uploads.byId(held.id))?.request ?? null);
    },
    stepsOver() {
      writing = false;
    },
    async known(batch, digest) {
      if (present === undefined) return null;
      const bytes = await uploads.vectors(id, batch, digest);
      return bytes === null ? null : toVectors(bytes, dimensions);
    },
    async keep(batch, digest, vectors) {
      if (held === null) made.set(batch, { digest, vectors });
      else await uploads.keepVectors(held, batch, digest, toBytes(vectors));
    },
    async park(add) {
      if (writing) return 'writing';
      parking = become({ id, lease: newId() }, add);
      return (await parking) ? 'held' : 'refused';
    },
    abort: (reason) => abort.abort(reason),
  };
};
