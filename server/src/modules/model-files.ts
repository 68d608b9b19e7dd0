import path from 'node:path';
import { type PulledModel, pulledModels } from '../adapters/model-files/index.ts';
import type { Config } from '../config.ts';

export {
  CATALOGUE,
  createFetcher,
  type Progress,
  type PulledModel,
  proxiesOf,
  pull,
  pulledModels,
  removeModel,
  SourceError,
  sourceOf,
} from '../adapters/model-files/index.ts';

const HUB = 'https://huggingface.co';

export const modelsDir = (config: Config): string =>
  path.resolve(config.MODELS_DIR ?? path.join(config.DATA_DIR, 'models'));

export const hubOf = (config: Config): URL => new URL(config.MODEL_HUB_URL ?? HUB);

/** The pulled model of that name, or the last pulled one of the kind; null without. */
export const pulledModel = (
  config: Config,
  kind: PulledModel['kind'],
  name: string | null,
): PulledModel | null =>
  pulledModels(modelsDir(config)).find(
    (model) => model.kind === kind && (name === null || model.name === name),
  ) ?? null;
