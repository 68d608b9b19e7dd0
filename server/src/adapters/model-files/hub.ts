import type { Fetcher } from './fetcher.ts';

/** One file to load, and what the hub says it must be. */
export interface RemoteFile {
  /** Name in the model's folder. */
  name: string;
  url: URL;
  /** Null where nobody says it beforehand. */
  bytes: number | null;
  checksum: Checksum | null;
}

/** Large files are named by their SHA-256, small ones by the SHA-1 that Git gives to their content. */
export interface Checksum {
  kind: 'sha256' | 'git';
  hex: string;
}

export interface HubListing {
  files: RemoteFile[];
  licence: string | null;
}

const MAX_LISTING_BYTES = 8 * 1024 * 1024;
/** In this order: a quantised model needs a quarter of the memory and is about as good. */
const ONNX_FILES = ['onnx/model_quantized.onnx', 'onnx/model_int8.onnx', 'model.onnx', 'onnx/model.onnx'];
const BESIDE_ONNX = [
  'tokenizer.json',
  'tokenizer_config.json',
  'config.json',
  '1_Pooling/config.json',
  'config_sentence_transformers.json',
];
const NEEDED = ['tokenizer.json', 'tokenizer_config.json', 'config.json'];
const HEX = { sha256: /^[0-9a-f]{64}$/, git: /^[0-9a-f]{40}$/ };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checksumOf = (row: Record<string, unknown>): Checksum | null => {
  const lfs = isRecord(row.lfs) ? row.lfs : {};
  const sha256 = typeof lfs.sha256 === 'string' ? lfs.sha256.toLowerCase() : '';
  if (HEX.sha256.test(sha256)) return { kind: 'sha256', hex: sha256 };
  const blob = typeof row.blobId === 'string' ? row.blobId.toLowerCase() : '';
  return HEX.git.test(blob) ? { kind: 'git', hex: blob } : null;
};

const licenceOf = (model: Record<string, unknown>): string | null => {
  const card = isRecord(model.cardData) ? model.cardData : {};
  return typeof card.license === 'string' ? card.license : null;
};

/**
 * What the hub has of a model now: the files' addresses at its present commit, with sizes and checksums. `file` null asks for a
 * folder with an ONNX model and its tokenizer.
 */
export const askHub = async (
  fetcher: Fetcher,
  hub: URL,
  repo: string,
  file: string | null,
): Promise<HubListing> => {
  const base = hub.href.replace(/(?<!\/)\/+$/, '');
  const text = await fetcher.text(new URL(`${base}/api/models/${repo}?blobs=true`), MAX_LISTING_BYTES);
  const model: unknown = JSON.parse(text);
  if (!isRecord(model) || !Array.isArray(model.siblings))
    throw new Error(`the hub's answer about ${repo} is not understood`);
  if (model.gated !== undefined && model.gated !== false)
    throw new Error(`${repo} is given out only to people who have accepted its conditions at the hub`);
  const commit = typeof model.sha === 'string' && HEX.git.test(model.sha) ? model.sha : 'main';
  const rows = new Map(
    model.siblings
      .filter(isRecord)
      .flatMap((row) => (typeof row.rfilename === 'string' ? [[row.rfilename, row] as const] : [])),
  );
  const remote = (name: string, as: string): RemoteFile => {
    const row = rows.get(name);
    if (row === undefined) throw new Error(`${repo} has no file ${name}`);
    const lfs = isRecord(row.lfs) ? row.lfs : {};
    const bytes = [row.size, lfs.size].find((size) => typeof size === 'number' && Number.isSafeInteger(size));
    const url = new URL(`${base}/${repo}/resolve/${commit}/${name}`);
    return { name: as, url, bytes: typeof bytes === 'number' ? bytes : null, checksum: checksumOf(row) };
  };
  if (file !== null) return { files: [remote(file, 'model.gguf')], licence: licenceOf(model) };
  const onnx = ONNX_FILES.find((name) => rows.has(name));
  if (onnx === undefined) throw new Error(`${repo} has none of ${ONNX_FILES.join(', ')}`);
  const beside = BESIDE_ONNX.filter((name) => rows.has(name) || NEEDED.includes(name));
  // Small files first: a missing one is told before the long wait.
  const files = [...beside.map((name) => remote(name, name)), remote(onnx, 'model.onnx')];
  return { files, licence: licenceOf(model) };
};
