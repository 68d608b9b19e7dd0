/** What other features and the composition may take from the models. */

export { type ModelCall, ModelCallError, type ModelCallResult, type ModelsOptions } from './call.ts';
export { createMeteredGenerate, entryOfBroken, entryOfCall, type MeteredGenerate } from './metered.ts';
export { createPrices } from './prices.ts';

export {
  boundUsage,
  filledUsage,
  type ModelPrice,
  parseModelId,
  parsePriceTable,
  pickDefaultModel,
} from './rules.ts';
export {
  createModels,
  type Models,
  modelErrorOf,
} from './service.ts';
export type { ModelCallSample } from './timed-call.ts';
