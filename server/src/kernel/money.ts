/**
 * Money inside the platform: an integer number of nano-dollars (1e-9 US dollar), never a fraction.
 * A safe integer holds 9,007,199 dollars; every sum that could pass that throws instead of rounding.
 */
export type NanoUsd = number;

export const NANO_PER_USD = 1_000_000_000;
export const MAX_NANO_USD: NanoUsd = Number.MAX_SAFE_INTEGER;

const checked = (nano: number): NanoUsd => {
  if (!Number.isSafeInteger(nano)) throw new RangeError(`amount outside of exact range: ${nano}`);
  return nano;
};

export const addNano = (a: NanoUsd, b: NanoUsd): NanoUsd => checked(a + b);

export const sumNano = (amounts: readonly NanoUsd[]): NanoUsd => amounts.reduce(addNano, 0);

/**
 * Dollars of a JSON number to nano-dollars. A JSON number is a double, so the nearest nano-dollar
 * is taken: exact for every amount with nine decimals in the exact range.
 */
export const usdToNano = (usd: number): NanoUsd => checked(Math.round(usd * NANO_PER_USD));

/** False where `usdToNano` would change the amount: it has more than nine decimal places. */
export const isWholeNano = (usd: number): boolean => nanoToUsd(usdToNano(usd)) === usd;

/** What is said of an amount that is not. */
export const TOO_FINE = 'must have at most nine decimal places';

/**
 * Nano-dollars to the JSON number that a client sees: the double nearest to the exact decimal. Both operands are exact
 * integers, and IEEE 754 rounds a quotient correctly, so this is what parsing the decimal text gives.
 */
export const nanoToUsd = (nano: NanoUsd): number => checked(nano) / NANO_PER_USD;

/** Price per million tokens in dollars → pico-dollars per token; exact for prices with six decimals. */
export const usdPerMillionToPico = (usdPerMillion: number): number =>
  checked(Math.round(usdPerMillion * 1e6));

/**
 * Cost of `tokens` at `picoUsd` each, summed over parts before one rounding to the nearest nano-dollar
 * (half up), so that the parts of one call are not rounded one by one.
 */
export const costOfTokens = (parts: readonly { tokens: number; picoUsd: number }[]): NanoUsd => {
  let pico = 0n;
  for (const part of parts) pico += BigInt(part.tokens) * BigInt(part.picoUsd);
  return checked(Number((pico + 500n) / 1000n));
};
