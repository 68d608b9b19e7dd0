import { Histogram, type Registry } from 'prom-client';

interface Options<L extends string> {
  name: string;
  help: string;
  labelNames: readonly L[];
  /** Upper bounds in seconds, smallest first. */
  buckets: readonly number[];
  registry: Registry;
}

/** Times under one set of labels. */
interface Series<L extends string> {
  labels: Record<L, string>;
  /** By index of the bound; one more behind for what is longer. */
  counts: number[];
  sum: number;
}

/**
 * A histogram of times. The package's own hashes the labels at every observation, also for a labelled child: here a time is
 * added to its series, and the text is made of them when somebody asks.
 */
export class TimesHistogram<L extends string> extends Histogram<L | 'le'> {
  readonly #options: Options<L>;
  readonly #series = new Map<string, Series<L>>();

  constructor(options: Options<L>) {
    const { registry, labelNames, buckets, ...named } = options;
    super({ ...named, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] });
    this.#options = options;
  }

  #seriesOf(key: string, values: readonly string[]): Series<L> {
    const { labelNames, buckets } = this.#options;
    const labels = Object.fromEntries(labelNames.map((name, i) => [name, values[i] ?? '']));
    const series = { labels: labels as Record<L, string>, counts: buckets.map(() => 0).concat(0), sum: 0 };
    this.#series.set(key, series);
    return series;
  }

  /** `values`: of the labels, in their order. */
  add(seconds: number, ...values: readonly string[]): void {
    const key = values.join('\n');
    const series = this.#series.get(key) ?? this.#seriesOf(key, values);
    const { buckets } = this.#options;
    let i = 0;
    while (i < buckets.length && seconds > (buckets[i] ?? 0)) i++;
    series.counts[i] = (series.counts[i] ?? 0) + 1;
    series.sum += seconds;
  }

  /** What the package makes its text and its `get` of; it stands beside that one and is not in the package's types. */
  async getForPromString() {
    const { name, help, buckets } = this.#options;
    const values = [...this.#series.values()].flatMap(({ labels: sharedLabels, counts, sum }) => {
      let count = 0;
      const lines = counts.map((n, i) => {
        count += n;
        return {
          metricName: `${name}_bucket`,
          labels: { le: buckets[i] ?? '+Inf' },
          sharedLabels,
          value: count,
        };
      });
      return [
        ...lines,
        { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum },
        { metricName: `${name}_count`, labels: {}, sharedLabels, value: count },
      ];
    });
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}
