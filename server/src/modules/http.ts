import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { type Audit, actorOf, type RefusedRequests } from '../features/audit/index.ts';
import type { Metrics } from '../features/system/index.ts';
import { type AppOptions, buildApp } from '../http/app.ts';
import { createClients } from '../http/clients.ts';
import { createConsole } from '../http/console.ts';
import type { Idempotency } from '../http/idempotency.ts';
import type { LimitOptions } from '../http/limits-hook.ts';
import { createOpenRequests, type OpenRequests } from '../http/open-requests.ts';
import type { Authenticate } from '../http/route.ts';
import { OIDC_CLIENTS, OIDC_SCOPES } from '../kernel/oidc.ts';
import { defineModule, type Given } from './module.ts';
import type { NodePlace } from './node.ts';

export interface HttpDeps extends Pick<Given, 'collected' | 'lifecycle' | 'logger' | 'publicUrl'> {
  audit: Pick<Audit, 'append'> & { refusals: Pick<RefusedRequests, 'ofRequest'> };
  config: Config;
  db: Db;
  idempotency: Idempotency;
  identity: { authenticate: Authenticate };
  limits: LimitOptions;
  node: Pick<NodePlace, 'started'>;
  system: { metrics: Pick<Metrics, 'request'> };
}

/** What answers that are no runs get to leave, once all runs have ended. */
const CLOSE_GRACE_MS = 1_000;
/** Beside dist/ in the package that is published, a workspace of its own in the repository. */
const CONSOLE_FOLDER = [
  path.join(import.meta.dirname, '..', '..', 'console'),
  path.join(import.meta.dirname, '..', '..', '..', 'console', 'dist'),
].reduce((packed, built) => (existsSync(packed) ? packed : built));

/** As the console's. */
const CLIENTS_FOLDER = [
  path.join(import.meta.dirname, '..', '..', 'clients'),
  path.join(import.meta.dirname, '..', '..', '..', 'sdk', 'dist'),
].reduce((packed, built) => (existsSync(packed) ? packed : built));

const consoleOf = (config: Config) =>
  createConsole({
    selfApproval: config.ALLOW_SELF_APPROVAL,
    shareLinks: config.SHARE_LINKS,
    folder: CONSOLE_FOLDER,
    issuer: config.IDP_URL,
    clientId: config.IDP_URL === null ? OIDC_CLIENTS.console : config.IDP_CONSOLE_CLIENT_ID,
    cliClientId: config.IDP_URL === null ? OIDC_CLIENTS.cli : config.IDP_CLI_CLIENT_ID,
    // The embedded provider has these alone.
    scopes: config.IDP_URL === null ? OIDC_SCOPES.join(' ') : config.IDP_SCOPES,
  });

const tlsOf = ({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key }: Config): AppOptions['tls'] =>
  cert === null || key === null ? null : { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };

const appOf = (deps: HttpDeps, openRequests: OpenRequests): Promise<FastifyInstance> => {
  const { audit, config, db, lifecycle, logger } = deps;
  const { routes, plugins, documents } = deps.collected();
  return buildApp({
    routes,
    authenticate: deps.identity.authenticate,
    idempotency: deps.idempotency,
    limits: deps.limits,
    logger,
    corsOrigins: config.CORS_ORIGINS,
    trustProxy: config.TRUST_PROXY,
    tls: tlsOf(config),
    maxUploadBytes: config.MAX_UPLOAD_BYTES,
    draining: lifecycle.draining,
    stopping: lifecycle.stopping,
    openRequests,
    observe: deps.system.metrics.request,
    audited: ({ caller, ...entry }, tx) => {
      const event = { ...actorOf(caller), ...entry };
      return tx === null ? db.write((own) => audit.append(own, event)) : audit.append(tx, event);
    },
    refused: audit.refusals.ofRequest,
    documents,
    console: consoleOf(config),
    clients: config.CLIENT_DOWNLOADS
      ? createClients({ folder: CLIENTS_FOLDER, publicUrl: deps.publicUrl })
      : null,
    plugins,
  });
};

/** The server of all routes. The last of the list, so that it is built when all have given theirs and stops before any other. */
export const httpModule = defineModule({
  name: 'http',
  needs: [
    'audit',
    'collected',
    'config',
    'db',
    'idempotency',
    'identity',
    'lifecycle',
    'limits',
    'logger',
    'node',
    'publicUrl',
    'system',
  ],
  async build(deps: HttpDeps) {
    const openRequests = createOpenRequests();
    const app = await appOf(deps, openRequests);
    return {
      service: app,
      async resume() {
        await app.ready();
        await deps.node.started();
      },
      drained: (untilMs: number) =>
        openRequests.ended(untilMs - performance.now(), () => deps.collected().gauges.openStreams()),
      async stop() {
        // A socket that has sent nothing yet does not count as idle and would hold the server for its request timeout.
        const cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS);
        await app.close();
        clearTimeout(cut);
      },
    };
  },
});
