import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isModelName } from './source.ts';

/** The models of this machine: one folder each, with a record of where it came from. */

export const RECORD = 'pulled.json';
export const GGUF_FILE = 'model.gguf';

export interface PulledFile {
  name: string;
  bytes: number;
  sha256: string;
}

export interface PulledModel {
  name: string;
  kind: 'gguf' | 'onnx';
  source: string;
  licence: string | null;
  /** `hub`: the checksum was told by the hub; `first use`: it was computed from what came. */
  checked: 'hub' | 'first use';
  pulled_at: string;
  files: PulledFile[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const filesOf = (value: unknown): PulledFile[] =>
  (Array.isArray(value) ? value : [])
    .filter(isRecord)
    .flatMap(({ name, bytes, sha256 }) =>
      typeof name === 'string' && typeof bytes === 'number' && typeof sha256 === 'string'
        ? [{ name, bytes, sha256 }]
        : [],
    );

/** Null for a folder that no pull has made. */
export const readRecord = (folder: string): PulledModel | null => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path.join(folder, RECORD), 'utf8'));
  } catch {
    return null;
  }
  if (!isRecord(value) || typeof value.source !== 'string' || typeof value.pulled_at !== 'string')
    return null;
  return {
    name: path.basename(folder),
    kind: value.kind === 'onnx' ? 'onnx' : 'gguf',
    source: value.source,
    licence: typeof value.licence === 'string' ? value.licence : null,
    checked: value.checked === 'hub' ? 'hub' : 'first use',
    pulled_at: value.pulled_at,
    files: filesOf(value.files),
  };
};

/** The last pulled one first. */
export const pulledModels = (folder: string): PulledModel[] => {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter(isModelName)
    .flatMap((name) => readRecord(path.join(folder, name)) ?? [])
    .sort((a, b) => b.pulled_at.localeCompare(a.pulled_at) || a.name.localeCompare(b.name));
};
