export { CATALOGUE } from './catalogue.ts';
export { NoSpace, type Progress, WrongFile } from './download.ts';
export { createFetcher, proxiesOf } from './fetcher.ts';
export { GGUF_FILE, type PulledModel, pulledModels } from './folder.ts';
export { type PullOptions, pull, removeModel } from './pull.ts';
export { SourceError, sourceOf } from './source.ts';
