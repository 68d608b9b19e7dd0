import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkHead } from '../models/gguf/index.ts';
import { addressOf, type DownloadParts, download, WrongFile } from './download.ts';
import { GGUF_FILE, type PulledFile, type PulledModel, RECORD, readRecord } from './folder.ts';
import { askHub, type HubListing } from './hub.ts';
import { defaultName, isModelName, type Source, SourceError, sourceText } from './source.ts';

export interface PullOptions extends DownloadParts {
  /** Folder of all models. */
  folder: string;
  hub: URL;
  now(): number;
  /** What it shall be called; null: as its source is. */
  name: string | null;
  /** Also where it is there: its files are loaded and compared. */
  again: boolean;
}

const listingOf = async (source: Source, options: PullOptions): Promise<HubListing> => {
  if (source.from === 'address')
    return {
      files: [{ name: GGUF_FILE, url: source.url, bytes: null, checksum: null }],
      licence: null,
    };
  const { repo, file } = source.from === 'catalogue' ? source.entry : source;
  return askHub(options.fetcher, options.hub, repo, file);
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

/** An address has no checksum of its own: what came at the first time is what it must be at every other. */
const compare = (files: readonly PulledFile[], earlier: PulledModel | null): void => {
  for (const file of files) {
    const before = earlier?.files.find(({ name }) => name === file.name);
    if (before === undefined || before.sha256 === file.sha256) continue;
    throw new WrongFile(
      `${file.name} of ${earlier?.source ?? ''} was ${before.sha256} and is ${file.sha256} now: what came was deleted. "pentarch model remove ${earlier?.name ?? ''}" first if that is right`,
    );
  }
};

const stagingOf = (folder: string, name: string): string => path.join(folder, `.${name}.part`);

/** Pulls a model; `already` where it was there. Hold the folder's lock meanwhile. */
export const pull = async (
  source: Source,
  options: PullOptions,
): Promise<{ model: PulledModel; already: boolean }> => {
  const name = options.name ?? defaultName(source);
  if (!isModelName(name))
    throw new SourceError(`"${name}" cannot be the name of a model: give one with --as`);
  const target = path.join(options.folder, name);
  const earlier = readRecord(target);
  if (existsSync(target) && earlier === null)
    throw new Error(`${target} is there and was not made by a pull`);
  if (earlier !== null && earlier.source !== sourceText(source))
    throw new Error(
      `there is a model ${name} of ${earlier.source}: remove it, or give another name with --as`,
    );
  if (earlier !== null && !options.again) return { model: earlier, already: true };
  const listing = await listingOf(source, options);
  const staging = stagingOf(options.folder, name);
  await mkdir(staging, { recursive: true, mode: 0o700 });
  const files: PulledFile[] = [];
  for (const remote of listing.files) {
    const file = path.join(staging, remote.name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    files.push({ name: remote.name, ...(await download(remote, file, options)) });
  }
  const model: PulledModel = {
    name,
    kind: files.some((file) => file.name === GGUF_FILE) ? 'gguf' : 'onnx',
    source: sourceText(source),
    licence: listing.licence ?? (source.from === 'catalogue' ? source.entry.licence : null),
    checked: listing.files.every(({ checksum }) => checksum !== null) ? 'hub' : 'first use',
    pulled_at: new Date(options.now()).toISOString(),
    files,
  };
  try {
    // A page of a sign-in is a file as well, and has a checksum.
    if (model.kind === 'gguf')
      await checkHead(path.join(staging, GGUF_FILE)).catch((error: unknown) => {
        const url = listing.files[0]?.url;
        throw new WrongFile(
          `what came from ${url === undefined ? '' : addressOf(url)} was deleted: ${error instanceof Error ? error.message : ''}`,
        );
      });
    if (model.checked === 'first use') compare(files, earlier);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
  await moveIn(options.folder, model, staging);
  return { model, already: false };
};

/** The new folder is whole before it has its name, and an earlier one is there until then. */
const moveIn = async (folder: string, model: PulledModel, staging: string): Promise<void> => {
  const { name, ...record } = model;
  await writeFile(path.join(staging, RECORD), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await syncFolder(staging);
  const target = path.join(folder, name);
  const old = path.join(folder, `.${name}.old`);
  await rm(old, { recursive: true, force: true });
  if (existsSync(target)) await rename(target, old);
  await rename(staging, target);
  await syncFolder(folder);
  await rm(old, { recursive: true, force: true });
};

/** Deletes a pulled model, or what an unfinished pull of that name has left; whether there was anything. */
export const removeModel = async (folder: string, name: string): Promise<boolean> => {
  if (!isModelName(name)) return false;
  const places = [path.join(folder, name), stagingOf(folder, name)].filter(
    (place, n) => existsSync(place) && (n === 1 || readRecord(place) !== null),
  );
  for (const place of places) await rm(place, { recursive: true, force: true });
  return places.length > 0;
};
