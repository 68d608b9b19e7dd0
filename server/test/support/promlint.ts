/**
 * What `promtool check metrics` says of an exposition, and that it is one: its rules (Prometheus' promlint) that a server can break.
 * The tool itself is a Go program that most machines lack.
 */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Exposition {
  samples: Sample[];
  /** Type of each family. */
  types: Map<string, string>;
  faults: string[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
/** Not base units, as a part of a name. */
const UNITS =
  /_(ms|milliseconds|microseconds|nanoseconds|minutes|hours|days|kilobytes|megabytes|kb|mb|percent)(_|$)/;
const SUFFIXES = /_(bucket|sum|count)$/;

const labelsOf = (text: string): Record<string, string> | null => {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    const match = LABEL.exec(text);
    if (match?.[1] === undefined || Object.hasOwn(labels, match[1])) return null;
    labels[match[1]] = match[2] ?? '';
    at = LABEL.lastIndex;
  }
  return labels;
};

const numberOf = (text: string): number =>
  ({ '+Inf': Number.POSITIVE_INFINITY, '-Inf': Number.NEGATIVE_INFINITY, NaN: Number.NaN })[text] ??
  Number(text);

const faultsOf = (
  name: string,
  type: string,
  help: string | undefined,
  samples: readonly Sample[],
): string[] => {
  const faults: string[] = [];
  if (help === undefined || help === '') faults.push('no help text');
  if (type === 'counter' && !name.endsWith('_total'))
    faults.push('counter metrics should have "_total" suffix');
  if (type !== 'counter' && name.endsWith('_total'))
    faults.push('non-counter metrics should not have "_total" suffix');
  if (type !== 'histogram' && type !== 'summary' && SUFFIXES.test(name))
    faults.push('the suffix is that of a histogram or summary');
  if (type !== 'histogram' && samples.some(({ labels }) => 'le' in labels)) faults.push('label "le"');
  if (type !== 'summary' && samples.some(({ labels }) => 'quantile' in labels))
    faults.push('label "quantile"');
  if (new RegExp(`_${type}(_|$)`).test(name)) faults.push('the type stands in the name');
  if (
    /[A-Z]/.test(name) ||
    samples.some(({ labels }) => Object.keys(labels).some((key) => /[A-Z]/.test(key)))
  )
    faults.push('camelCase');
  if (UNITS.test(name)) faults.push('no base unit');
  return faults.map((fault) => `${name}: ${fault}`);
};

export const readExposition = (text: string): Exposition => {
  const faults: string[] = [];
  const types = new Map<string, string>();
  const helps = new Map<string, string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  if (!text.endsWith('\n')) faults.push('the last line has no end');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, what, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (what !== undefined) {
      const known = what === 'HELP' ? helps : types;
      if (known.has(about)) faults.push(`${about}: a second ${what}`);
      known.set(about, rest);
      continue;
    }
    const match = SAMPLE.exec(line);
    const labels = labelsOf(match?.[2] ?? '');
    if (match?.[1] === undefined || labels === null || match[3] === undefined) {
      faults.push(`no sample: ${line}`);
      continue;
    }
    const key = `${match[1]} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(key)) faults.push(`twice: ${line}`);
    seen.add(key);
    samples.push({ name: match[1], labels, value: numberOf(match[3]) });
  }
  const familyOf = (name: string): string => (types.has(name) ? name : name.replace(SUFFIXES, ''));
  for (const { name } of samples) if (!types.has(familyOf(name))) faults.push(`${name}: no type`);
  for (const [name, type] of types) {
    const own = samples.filter((sample) => familyOf(sample.name) === name);
    faults.push(...faultsOf(name, type, helps.get(name), own));
  }
  return { samples, types, faults };
};
