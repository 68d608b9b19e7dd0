import type { Found } from './expressions.ts';

/** What the analyser says of each expression, and what that demands where it is used. Pure. */
export interface Verdict {
  /** `safe`, `polynomial N`, `exponential`, `undecided`, or `read by people`. */
  verdict: string;
  /** Of a polynomial one: the longest text that it is bounded to, and what the analyser's attack of that length takes. */
  max?: number;
  attack_ms?: number;
}

export interface Verdicts {
  analyser: string;
  expressions: Record<string, Verdict>;
}

/** Longest text for an expression of which the analyser, within its time, can say neither that it is safe nor how to attack it. */
export const MAX_UNDECIDED = 4_100;
/** For a polynomial one: what its worst text may take. */
export const MAX_ATTACK_MS = 60;

export interface Checked {
  found: readonly Found[];
  /** Modules of processes that are ended when they take too long. */
  limited: ReadonlySet<string>;
  verdicts: Verdicts;
  analyser: string;
  keyOf(one: Found): string;
}

const ADVICE = 'make it linear, or write bounded(max, …) of packages/prose';

const faultOf = (one: Found, verdict: Verdict | undefined, isLimited: boolean): string | null => {
  if (verdict === undefined) return 'is new: run node scripts/check-expressions.ts --write';
  const { verdict: said } = verdict;
  if (said === 'safe' || said === 'read by people') return null;
  if (said === 'exponential') return 'takes exponential time: write it otherwise, no bound helps';
  if (isLimited) return null;
  if (one.max === null) return `is ${said}: ${ADVICE}`;
  if (said === 'undecided')
    return one.max <= MAX_UNDECIDED ? null : `is undecided: its bound may be ${MAX_UNDECIDED} at most`;
  if (verdict.max === undefined || verdict.attack_ms === undefined || one.max > verdict.max)
    return 'has a new bound: run node scripts/check-expressions.ts --write';
  return verdict.attack_ms <= MAX_ATTACK_MS
    ? null
    : `takes ${verdict.attack_ms} ms at its bound of ${verdict.max}, ${MAX_ATTACK_MS} are allowed`;
};

export const faultsOf = ({ found, limited, verdicts, analyser, keyOf }: Checked): string[] => {
  if (verdicts.analyser !== analyser)
    return [`the verdicts are of ${verdicts.analyser}, not of ${analyser}: run with --write`];
  const faults = found.flatMap((one) => {
    const fault = faultOf(one, verdicts.expressions[keyOf(one)], limited.has(one.file));
    return fault === null ? [] : [`${one.file}:${one.line} ${keyOf(one).slice(0, 100)} ${fault}`];
  });
  const used = new Set(found.map(keyOf));
  const stale = Object.keys(verdicts.expressions).filter((key) => !used.has(key));
  return [...faults, ...stale.map((key) => `${key.slice(0, 100)} is nowhere any more: run with --write`)];
};
