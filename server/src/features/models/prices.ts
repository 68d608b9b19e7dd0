/**
 * Prices of models: an override table first, then the offline price package, then the configured default, which is
 * marked as an estimate. A table lookup is done once per model and hour, since some prices change by date.
 */
import { calcPrice, findProvider, type ModelPrice as PackagePrice } from '@pydantic/genai-prices';
import type { Clock } from '../../kernel/clock.ts';
import type { ModelRef } from '../../kernel/model.ts';
import { usdPerMillionToPico } from '../../kernel/money.ts';
import { FREE, type ModelPrice, type PriceRow, type PriceTable, type TokenPrices } from './rules.ts';

export interface PriceOptions {
  clock: Clock;
  /** Of PRICES_FILE, see `parsePriceTable`. */
  overrides?: PriceTable;
  /** Dollars per million tokens of models in no table. Defaults: 5 and 15. */
  defaultInput?: number;
  defaultOutput?: number;
  /** Providers whose calls cost nothing. */
  localProviders: ReadonlySet<string>;
  /** Address of each provider that is not at its maker's own, to tell DeepSeek, Groq … by their host. */
  baseUrls?: ReadonlyMap<string, string>;
}

export interface Prices {
  /** Never throws: an unknown model has the default price. */
  of(ref: ModelRef): ModelPrice;
  /** Context window in tokens that the package knows of the model, or null. */
  windowOf(ref: ModelRef): number | null;
}

const LOOKUP_MS = 3_600_000;
const MAX_CACHED = 1000;
const OWN_HOSTS = new Set(['openai', 'anthropic', 'google']);

const fromRow = (row: PriceRow): ModelPrice => ({
  inputPico: usdPerMillionToPico(row.input),
  cachedInputPico: usdPerMillionToPico(row.cached_input ?? row.input),
  cacheWritePico: usdPerMillionToPico(row.cache_write ?? row.input),
  outputPico: usdPerMillionToPico(row.output),
  estimated: false,
  tiers: [],
});

/** Price of one part for a prompt of so many tokens: the package's tiers hold for the whole call. */
const partAt = (price: PackagePrice, key: string, inputTokens: number): number | undefined => {
  const part = price[key];
  if (typeof part !== 'object') return part;
  let usd = part.base;
  for (const tier of part.tiers) if (inputTokens > tier.start) usd = tier.price;
  return usd;
};

const pricesAt = (price: PackagePrice, inputTokens: number): TokenPrices | undefined => {
  const input = partAt(price, 'input_mtok', inputTokens);
  if (input === undefined) return undefined;
  return {
    inputPico: usdPerMillionToPico(input),
    cachedInputPico: usdPerMillionToPico(partAt(price, 'cache_read_mtok', inputTokens) ?? input),
    cacheWritePico: usdPerMillionToPico(partAt(price, 'cache_write_mtok', inputTokens) ?? input),
    // Embedding models have no output price, and no output.
    outputPico: usdPerMillionToPico(partAt(price, 'output_mtok', inputTokens) ?? 0),
  };
};

const fromPackage = (price: PackagePrice): ModelPrice | undefined => {
  const base = pricesAt(price, 0);
  if (base === undefined) return undefined;
  const starts = new Set<number>();
  for (const part of Object.values(price))
    if (typeof part === 'object') for (const tier of part.tiers) starts.add(tier.start);
  const tiers = [...starts]
    .sort((a, b) => a - b)
    .map((aboveInputTokens) => ({ ...base, ...pricesAt(price, aboveInputTokens + 1), aboveInputTokens }));
  return { ...base, estimated: false, tiers };
};

export const createPrices = (options: PriceOptions): Prices => {
  const overrides = options.overrides ?? new Map<string, PriceRow>();
  const unknown: ModelPrice = {
    ...fromRow({ input: options.defaultInput ?? 5, output: options.defaultOutput ?? 15 }),
    estimated: true,
  };
  const cache = new Map<string, { price: ModelPrice; untilMs: number }>();

  const calculated = (ref: ModelRef) => {
    const baseUrl = options.baseUrls?.get(ref.provider);
    const byHost = baseUrl === undefined ? undefined : findProvider({ providerApiUrl: baseUrl })?.id;
    const providerId = byHost ?? (OWN_HOSTS.has(ref.provider) ? ref.provider : undefined);
    const found = calcPrice({}, ref.name, {
      ...(providerId === undefined ? {} : { providerId }),
      timestamp: new Date(options.clock.now()),
    });
    return { found, providerId };
  };

  const inPackage = (ref: ModelRef): ModelPrice | undefined => {
    const { found, providerId } = calculated(ref);
    const price = found === null ? undefined : fromPackage(found.model_price);
    // Behind an unknown host, a known name is a good guess and no more.
    return price !== undefined && providerId === undefined ? { ...price, estimated: true } : price;
  };

  const lookUp = (ref: ModelRef): ModelPrice => {
    const row = overrides.get(ref.id) ?? overrides.get(ref.name);
    if (row !== undefined) return fromRow(row);
    if (options.localProviders.has(ref.provider)) return FREE;
    return inPackage(ref) ?? unknown;
  };

  const windows = new Map<string, number | null>();

  return {
    windowOf: (ref) => {
      const known = windows.get(ref.id);
      if (known !== undefined) return known;
      const window = calculated(ref).found?.model.context_window ?? null;
      if (windows.size >= MAX_CACHED) windows.clear();
      windows.set(ref.id, window);
      return window;
    },
    of: (ref) => {
      const nowMs = options.clock.now();
      const kept = cache.get(ref.id);
      if (kept !== undefined && nowMs < kept.untilMs) return kept.price;
      const price = lookUp(ref);
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(ref.id, { price, untilMs: nowMs + LOOKUP_MS });
      return price;
    },
  };
};
