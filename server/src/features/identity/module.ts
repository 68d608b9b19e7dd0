import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { IssuerHttp } from '../../kernel/issuer.ts';
import type { Mailer } from '../../kernel/mail.ts';
import type { OidcPorts } from '../../kernel/oidc.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { defineModule, type Given, type OnError } from '../../modules/module.ts';
import type { Audit } from '../audit/index.ts';
import type { FirstAdmin } from './first-admin.ts';
import {
  createIdentity,
  createMetadataDocuments,
  type Identity,
  type IdentityConfig,
  type PlatformKeys,
  providerDocument,
} from './index.ts';
import type { Engine } from './provider/plugin-options.ts';
import type { CountAddress } from './provider/throttle.ts';

export interface IdentityDeps extends Pick<Given, 'clock' | 'onError' | 'publicUrl'> {
  audit: Pick<Audit, 'append'> & { beginSigning(): Promise<void> };
  config: IdentityConfig & { CLIENT_ID_METADATA_DOCUMENTS: boolean };
  db: Db;
  keys: PlatformKeys;
  limits: { countAddress: CountAddress | null };
  logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  mailer: Mailer;
  node: Cluster;
  outgoing: { clientDocuments: OutgoingHttp };
  oidc: { issuerHttp: IssuerHttp | null; createEngine(ports: OidcPorts): Engine };
}

const MAINTENANCE_MS = 3_600_000;
const FOLLOW_KEYS_MS = 5_000;

/** Looks that repeat until `quiet`; they keep no process alive. */
const createLooks = (identity: Pick<Identity, 'maintain' | 'followKeys'>, onError: OnError) => {
  let timers: NodeJS.Timeout[] = [];
  const every = (ms: number, look: () => Promise<void>, fault: string): NodeJS.Timeout =>
    setInterval(() => void look().catch((error: unknown) => onError(error, fault)), ms).unref();
  return {
    begin(): void {
      timers = [
        every(MAINTENANCE_MS, identity.maintain, 'identity maintenance'),
        every(FOLLOW_KEYS_MS, identity.followKeys, 'following the signing keys'),
      ];
    },
    end(): void {
      for (const timer of timers) clearInterval(timer);
    },
  };
};

const identityOf = (
  { node, keys, limits, logger, oidc, outgoing, ...deps }: IdentityDeps,
  rightsChanged: (userId: string) => void,
): Identity =>
  createIdentity({
    ...deps,
    rightsChanged,
    platformKeys: keys,
    cluster: node,
    ...(limits.countAddress === null ? {} : { countAddress: limits.countAddress }),
    ...(oidc.issuerHttp === null ? {} : { issuerHttp: oidc.issuerHttp }),
    ...(deps.config.CLIENT_ID_METADATA_DOCUMENTS
      ? {
          clientDocuments: createMetadataDocuments({
            http: outgoing.clientDocuments,
            clock: deps.clock,
            log: logger,
          }),
        }
      : {}),
    log: logger,
  });

export const identityModule = defineModule({
  name: 'identity',
  needs: [
    'audit',
    'clock',
    'config',
    'db',
    'keys',
    'limits',
    'logger',
    'mailer',
    'node',
    'oidc',
    'onError',
    'outgoing',
    'publicUrl',
  ],
  build(deps: IdentityDeps) {
    const rightsListeners: ((userId: string) => void)[] = [];
    const identity = identityOf(deps, (userId) => {
      for (const listener of rightsListeners) listener(userId);
    });
    const embedded = deps.config.IDP_URL === null;
    const looks = createLooks(identity, deps.onError);
    let admin: FirstAdmin | null = null;
    return {
      service: {
        ...identity,
        /** Told after the keys or the account of a person have become others than before. */
        onRightsChanged(listener: (userId: string) => void): void {
          rightsListeners.push(listener);
        },
        firstAdmin(): FirstAdmin {
          if (admin === null) throw new Error('the identity has not started');
          return admin;
        },
      },
      routes: identity.routes,
      plugins: embedded ? [identity.plugin(deps.oidc.createEngine(identity.oidc))] : [],
      documents: embedded ? [providerDocument] : [],
      personalData: [identity.personalData],
      health: { identity: () => ({ status: 'ok' as const }) },
      async start() {
        await identity.start();
        await deps.audit.beginSigning();
        admin = await identity.ensureFirstAdmin();
      },
      opened: looks.begin,
      quiet: looks.end,
    };
  },
});
