/** What other features and the composition may take from the models. */

export { type ModelCall, ModelCallError, type ModelCallResult, type ModelsOptions } from './call.ts';
export { createMeteredGenerate, entryOfBroken, entryOfCall, type MeteredGenerate } from './metered.ts';
export { createPrices, type PriceOptions, type Prices } from './prices.ts';
export { modelRoutes } from './routes.ts';
export {
  affordableOutputTokens,
  BUILTIN,
  boundUsage,
  costOfUsage,
  DEFAULT_MODELS,
  DEFAULT_RETRY,
  type DefaultModelFacts,
  FREE,
  filledUsage,
  type ModelPrice,
  type PriceRow,
  type PriceTable,
  parseModelId,
  parsePriceTable,
  pickDefaultModel,
  type RetryPolicy,
  worstCaseCost,
} from './rules.ts';
export {
  createModels,
  type ModelChoice,
  type Models,
  modelErrorOf,
  type ProviderState,
} from './service.ts';
export type { ModelCallSample } from './timed-call.ts';
