import { Histogram, type Registry } from 'prom-client';

type Label = 'le' | 'method' | 'route' | 'status';

/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const NAME = 'pentarch_http_request_duration_seconds';
const HELP = 'Time of HTTP requests by route template';

/** Times of the requests of one method, route and status. */
interface Series {
  labels: { method: string; route: string; status: string };
  /** By index of the bound; one more behind for what is longer. */
  counts: number[];
  sum: number;
}

/**
 * The histogram of request times. The package's own hashes the labels at every observation, also for a labelled child:
 * here a request adds to its series, and the text is made of them when somebody asks.
 */
export class RequestTimes extends Histogram<Label> {
  readonly #series = new Map<string, Map<string, Map<number, Series>>>();

  constructor(registry: Registry) {
    super({
      name: NAME,
      help: HELP,
      labelNames: ['method', 'route', 'status'],
      buckets: BOUNDS,
      registers: [registry],
    });
  }

  #seriesOf(method: string, route: string, status: number): Series {
    const methods = this.#series.get(route) ?? new Map<string, Map<number, Series>>();
    const statuses = methods.get(method) ?? new Map<number, Series>();
    const series = {
      labels: { method, route, status: String(status) },
      counts: BOUNDS.map(() => 0).concat(0),
      sum: 0,
    };
    this.#series.set(route, methods);
    methods.set(method, statuses);
    statuses.set(status, series);
    return series;
  }

  add(sample: { method: string; route: string; status: number; seconds: number }): void {
    const { method, route, status, seconds } = sample;
    const series = this.#series.get(route)?.get(method)?.get(status) ?? this.#seriesOf(method, route, status);
    let i = 0;
    while (i < BOUNDS.length && seconds > (BOUNDS[i] ?? 0)) i++;
    series.counts[i] = (series.counts[i] ?? 0) + 1;
    series.sum += seconds;
  }

  /** What the package makes its text and its `get` of; it stands beside that one and is not in the package's types. */
  async getForPromString() {
    const all = [...this.#series.values()].flatMap((methods) =>
      [...methods.values()].flatMap((statuses) => [...statuses.values()]),
    );
    const values = all.flatMap(({ labels: sharedLabels, counts, sum }) => {
      let count = 0;
      const buckets = counts.map((n, i) => {
        count += n;
        return {
          metricName: `${NAME}_bucket`,
          labels: { le: BOUNDS[i] ?? '+Inf' },
          sharedLabels,
          value: count,
        };
      });
      return [
        ...buckets,
        { metricName: `${NAME}_sum`, labels: {}, sharedLabels, value: sum },
        { metricName: `${NAME}_count`, labels: {}, sharedLabels, value: count },
      ];
    });
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values };
  }
}
