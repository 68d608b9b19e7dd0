export { createClockWatch } from './clock-watch.ts';
export { createMetrics, type Gauges, type Metrics } from './metrics.ts';
export type { Check, CheckName, HealthCheck } from './routes.ts';
