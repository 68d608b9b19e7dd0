import { createGuardedFetch } from '../adapters/guarded-fetch/index.ts';
import { createMailSink } from '../adapters/mail/sink.ts';
import { createSmtpMailer } from '../adapters/mail/smtp.ts';
import { createOidcEngine } from '../adapters/oidc/engine.ts';
import { createIssuerHttp } from '../adapters/oidc/issuer-http.ts';
import { type Config, isLoopback } from '../config.ts';
import type { Mailer } from '../kernel/mail.ts';
import { defineModule } from './module.ts';

/** Adapters to what is outside of the process, each built of settings alone. */

const MAX_MCP_BODY_BYTES = 64 * 1024 * 1024;

export const mailModule = defineModule({
  name: 'mailer',
  needs: ['config'],
  build({ config }: { config: Pick<Config, 'DATA_DIR' | 'MAIL_FROM' | 'SMTP_TLS' | 'SMTP_URL'> }) {
    const service: Mailer =
      config.SMTP_URL === null
        ? createMailSink(config.DATA_DIR)
        : createSmtpMailer({
            url: config.SMTP_URL,
            from: config.MAIL_FROM,
            tls: config.SMTP_TLS,
            isLoopback,
          });
    return { service };
  },
});

/** Each purpose has a client of its own: their limits differ. */
export const outgoingModule = defineModule({
  name: 'outgoing',
  needs: ['config'],
  build({ config }: { config: Pick<Config, 'MAX_UPLOAD_BYTES' | 'WEBHOOK_ALLOW_PRIVATE'> }) {
    const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
    const longLived = { headersTimeoutMs: 0, bodyTimeoutMs: 0, maxBodyBytes: MAX_MCP_BODY_BYTES };
    const service = {
      documents: createGuardedFetch({
        allowPrivate,
        // Documents by address are the largest that is fetched; whoever fetches them refuses them first.
        maxBodyBytes: config.MAX_UPLOAD_BYTES + 1024 * 1024,
      }),
      webhooks: createGuardedFetch({ allowPrivate, requireHttps: !allowPrivate }),
      /** Anybody may have one fetched: small, and of little patience. */
      clientDocuments: createGuardedFetch({
        allowPrivate,
        requireHttps: true,
        connectTimeoutMs: 5_000,
        headersTimeoutMs: 5_000,
        bodyTimeoutMs: 5_000,
        maxBodyBytes: 64 * 1024,
      }),
      mcp: createGuardedFetch({ allowPrivate, ...longLived }),
      /** To servers that the operator's own file names. */
      mcpOfOperator: createGuardedFetch({ allowPrivate: true, ...longLived }),
    };
    return {
      service,
      async stop() {
        await Promise.all(Object.values(service).map((client) => client.close()));
      },
    };
  },
});

export const oidcModule = defineModule({
  name: 'oidc',
  needs: ['config'],
  build({ config }: { config: Pick<Config, 'IDP_CLIENT_ID' | 'IDP_CLIENT_SECRET' | 'IDP_URL'> }) {
    const { IDP_CLIENT_ID: clientId, IDP_CLIENT_SECRET: clientSecret, IDP_URL: issuer } = config;
    return {
      service: {
        /** Null without an external provider. */
        issuerHttp:
          issuer === null || clientSecret === null
            ? null
            : createIssuerHttp({ issuer, clientId, clientSecret }),
        createEngine: createOidcEngine,
      },
    };
  },
});
