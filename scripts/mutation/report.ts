/** What a run of `npm run mutate` found, as it is stored in docs/evidence/mutation.json, and its table. */

export interface Survivor {
  file: string;
  line: number;
  kind: string;
  original: string;
  replacement: string;
  /** Whether any suite gets to this place. */
  covered: boolean;
}

export interface PartResult {
  feature: string;
  part: string;
  /** Faults that could have been put in. */
  possible: number;
  tried: number;
  killed: number;
  /** Of `killed`: those with which a suite did not end in time. */
  timedOut: number;
  /** Of those tried: that cannot be told from the original, with their reasons in docs/evidence/equivalent.json. */
  equivalent: number;
  survivors: readonly Survivor[];
  suites: { unit: number; blackBox: readonly string[] };
  seed: string;
  /** What a reader has to know of this run; by hand. */
  note?: string;
  date: string;
  commit: string;
}

/** What no test can tell from the original, by its place and with the reason. */
export interface Equivalent {
  file: string;
  original: string;
  replacement: string;
  reason: string;
}

export const isEquivalent = (
  { file, original, replacement }: Omit<Survivor, 'line' | 'kind' | 'covered'>,
  known: readonly Equivalent[],
): boolean =>
  known.some((one) => one.file === file && one.original === original && one.replacement === replacement);

/** In percent of those that can be killed. */
export const scoreOf = ({ tried, killed, equivalent }: PartResult): number =>
  tried === equivalent ? 100 : (100 * killed) / (tried - equivalent);

/** Of a feature: each part counts by the faults that are possible in it, not by how many of them were tried. */
export const weightedScore = (parts: readonly PartResult[]): number => {
  const possible = parts.reduce((all, part) => all + part.possible, 0);
  return parts.reduce((all, part) => all + (scoreOf(part) * part.possible) / possible, 0);
};

const whole = (feature: string, parts: readonly PartResult[]): string => {
  const total = (name: 'possible' | 'tried' | 'killed' | 'equivalent'): number =>
    parts.reduce((all, part) => all + part[name], 0);
  return `| ${feature} | all, weighted | ${total('possible')} | ${total('tried')} | | ${total('killed')} | ${total('equivalent')} | ${Math.floor(weightedScore(parts))} % |`;
};

const row = (part: PartResult): string =>
  `| ${part.feature} | ${part.part} | ${part.possible} | ${part.tried} | ${part.suites.unit} + ${part.suites.blackBox.length} | ${part.killed} | ${part.equivalent} | ${Math.floor(scoreOf(part))} % |`;

export const MUTATION_HEADING = '## Mutation testing';

export const mutationSection = (parts: readonly PartResult[]): string => {
  if (parts.length === 0) return '';
  const features = [...new Set(parts.map(({ feature }) => feature))];
  const rows = features.flatMap((feature) => {
    const own = parts.filter((part) => part.feature === feature);
    return [...own.map(row), ...(own.length > 1 ? [whole(feature, own)] : [])];
  });
  const dates = [
    ...new Set(parts.map(({ date, commit, seed }) => `${date}, commit ${commit}, seed ${seed}`)),
  ];
  const notes = [...new Set(parts.flatMap(({ note }) => note ?? []))];
  return `${MUTATION_HEADING}

Written by \`npm run mutate\` into \`docs/evidence/mutation.json\`. A small fault at a time is put into the sources (a comparison turned, a
condition fixed, a call or a body left out, a code emptied), and the suites that get to its place have to fail. Rules are files that decide
without input or output; the rest are all other sources of the feature but wire types. Where fewer were tried than possible, they were drawn by the seed.
A fault that no suite gets to counts as survived. Both parts of a feature are weighted by what is possible in them. Equivalent ones cannot be told from the original (\`docs/evidence/equivalent.json\`); the
score leaves them out. Suites: those of \`npm test\` + those over HTTP that were asked; where the second is 0, what only those hold counts as survived. A part
that is missing was not measured.

${dates.join('; ')}.

| feature | part | possible | tried | suites | killed | equivalent | score |
|---|---|---:|---:|---:|---:|---:|---:|
${rows.join('\n')}
${notes.map((note) => `\n${note}\n`).join('')}`;
};

/** The evidence page with another section of mutation testing. */
export const withMutationSection = (page: string, parts: readonly PartResult[]): string => {
  const at = page.indexOf(`\n${MUTATION_HEADING}`);
  const before = at === -1 ? page : page.slice(0, at);
  const section = mutationSection(parts);
  return section === '' ? before : `${before.trimEnd()}\n\n${section}`;
};
