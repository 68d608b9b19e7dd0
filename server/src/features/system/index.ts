export { createClockWatch } from './clock-watch.ts';
export { createMetrics, type Gauges, type Metrics } from './metrics.ts';
export { type Check, type CheckName, type HealthCheck, systemRoutes } from './routes.ts';
