import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../config.ts';
import { lockFolder } from '../db/lock.ts';
import {
  CATALOGUE,
  createFetcher,
  hubOf,
  modelsDir,
  type Progress,
  type PulledModel,
  proxiesOf,
  pull,
  pulledModels,
  removeModel,
  SourceError,
  sourceOf,
} from '../modules/model-files.ts';
import { type Command, explained, type Io, sizeText, UsageError } from './command.ts';

/** Pulling models to this machine, and what is there. */

/** Of rates of the last seconds: shorter ones jump, longer ones do not see a slow network. */
const RATE_WINDOW_MS = 5_000;
const DRAW_EVERY_MS = 200;

const bytesOf = (model: PulledModel): number => model.files.reduce((sum, { bytes }) => sum + bytes, 0);

const howToUse = (model: PulledModel): string => {
  if (model.kind === 'gguf') return `MODEL=local/${model.name}`;
  return model.name === 'multilingual-e5-small'
    ? 'EMBEDDING_MODEL=builtin-multilingual'
    : `EMBEDDING_MODEL=onnx/${model.name}`;
};

const timeText = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole} s` : `${minutes} min ${whole % 60} s`;
};

/** A line with bytes, rate and time left, drawn now and then. */
export const progressLine = (
  draw: (line: string) => void,
  now: () => number,
): ((progress: Progress) => void) => {
  let marks: { atMs: number; bytes: number }[] = [];
  let name = '';
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const atMs = now();
    if (progress.name !== name) marks = [];
    name = progress.name;
    marks = [
      ...marks.filter((mark) => atMs - mark.atMs <= RATE_WINDOW_MS),
      { atMs, bytes: progress.doneBytes },
    ];
    if (atMs - drawnAtMs < DRAW_EVERY_MS && progress.doneBytes !== progress.totalBytes) return;
    drawnAtMs = atMs;
    const [first] = marks;
    const seconds = first === undefined ? 0 : (atMs - first.atMs) / 1000;
    const rate = first === undefined || seconds === 0 ? 0 : (progress.doneBytes - first.bytes) / seconds;
    const total = progress.totalBytes;
    const share = total === null || total === 0 ? '' : ` ${Math.floor((progress.doneBytes / total) * 100)} %`;
    const of = total === null ? '' : ` of ${sizeText(total)}`;
    const left =
      total === null || rate === 0 ? '' : `, ${timeText((total - progress.doneBytes) / rate)} left`;
    draw(`${name}${share}  ${sizeText(progress.doneBytes)}${of}  ${sizeText(rate)}/s${left}`);
  };
};

const folderOf = (config: Config, io: Io, dir: string | undefined): string =>
  dir === undefined ? path.resolve(io.folder, modelsDir(config)) : path.resolve(io.folder, dir);

const told = (io: Io, model: PulledModel, folder: string, already: boolean): void => {
  const where = path.join(folder, model.name);
  io.out(`${model.name}: ${sizeText(bytesOf(model))} in ${where}${already ? ', it was there' : ''}`);
  for (const { name, sha256 } of model.files) io.out(`  ${sha256}  ${name}`);
  io.out(
    model.checked === 'hub'
      ? '  checked against the checksums that the hub has'
      : '  nobody says the checksum of an address beforehand: this one is kept, and compared from now on',
  );
  io.out(`  licence: ${model.licence ?? 'not said; see its source'}`);
  io.out(`use it with ${howToUse(model)}`);
};

export const modelPull: Command = {
  name: 'model pull',
  usage: '<name | hf:owner/repository/file.gguf | https://….gguf> [--as NAME] [--dir FOLDER] [--again]',
  about:
    'Get a model from the network into MODELS_DIR; begun again, it goes on where it was cut off. --again: also where it is there',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        as: { type: 'string' },
        dir: { type: 'string' },
        again: { type: 'boolean', default: false },
      },
    });
    const [named] = positionals;
    if (named === undefined || positionals.length > 1)
      throw new UsageError('name one model; "model list" shows some');
    const config = loadConfig(io.env, io.folder);
    const folder = folderOf(config, io, values.dir);
    const fetcher = createFetcher(proxiesOf(io.env));
    const draw = io.progress ?? null;
    try {
      const source = sourceOf(named);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const lock = lockFolder(folder, `another process pulls a model into ${folder}: wait for it`);
      try {
        const { model, already } = await pull(source, {
          folder,
          hub: hubOf(config),
          fetcher,
          name: values.as ?? null,
          again: values.again,
          now: io.now,
          sleep: (ms) => delay(ms),
          onProgress: draw === null ? () => {} : progressLine(draw, io.now),
        });
        draw?.('');
        told(io, model, folder, already);
        return 0;
      } finally {
        lock.release();
      }
    } catch (error) {
      draw?.('');
      if (error instanceof SourceError) throw new UsageError(error.message);
      throw explained(error, folder);
    } finally {
      await fetcher.close();
    }
  },
};

const listed = (args: readonly string[], io: Io): { folder: string; positionals: string[] } => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { dir: { type: 'string' } },
  });
  return { folder: folderOf(loadConfig(io.env, io.folder), io, values.dir), positionals };
};

export const modelList: Command = {
  name: 'model list',
  usage: '[--dir FOLDER]',
  about: 'Models that were pulled, and a short list of those that can be',
  run(args: readonly string[], io: Io): Promise<number> {
    const { folder, positionals } = listed(args, io);
    if (positionals.length > 0) throw new UsageError('"model list" takes no name');
    const models = pulledModels(folder);
    io.out(models.length === 0 ? `no model was pulled into ${folder}` : `pulled into ${folder}:`);
    for (const model of models) {
      const licence = model.licence ?? 'licence not said';
      io.out(`  ${model.name.padEnd(24)} ${sizeText(bytesOf(model))}, ${licence}, ${model.source}`);
      io.out(`  ${''.padEnd(24)} ${howToUse(model)}`);
    }
    io.out('can be pulled (the size is told at the pull):');
    for (const { name, licence, about } of CATALOGUE.filter(
      (one) => !models.some((m) => m.name === one.name),
    ))
      io.out(`  ${name.padEnd(24)} ${licence}; ${about}`);
    return Promise.resolve(0);
  },
};

export const modelRemove: Command = {
  name: 'model remove',
  usage: 'NAME [--dir FOLDER]',
  about: 'Delete a pulled model, or what an unfinished pull has left',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { folder, positionals } = listed(args, io);
    const [name] = positionals;
    if (name === undefined || positionals.length > 1) throw new UsageError('name one pulled model');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = lockFolder(folder, `another process pulls a model into ${folder}: wait for it`);
    try {
      if (!(await removeModel(folder, name))) throw new Error(`no model ${name} was pulled into ${folder}`);
      io.out(`removed ${name}`);
      return 0;
    } finally {
      lock.release();
    }
  },
};
