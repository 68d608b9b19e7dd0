export { createClockWatch } from './clock-watch.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { createReadinessLog } from './readiness-log.ts';
export { type Check, type CheckName, systemRoutes } from './routes.ts';
export type { StoreFigures } from './store-gauges.ts';
