import type { Db } from '../../db/db.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { AgentService } from '../agents/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Knowledge } from '../knowledge/index.ts';
import { shareRoutes } from './routes.ts';
import { createShares } from './service.ts';
import { createShareStore } from './store.ts';

export interface SharesDeps extends Pick<Given, 'clock' | 'publicUrl'> {
  agents: Pick<AgentService, 'effective'>;
  audit: Pick<Audit, 'append'>;
  config: { SHARE_LINKS: boolean; SHARE_MAX_DAYS: number };
  db: Db;
  knowledge: Pick<Knowledge, 'documents'>;
}

const EXPIRED_EVERY_MS = 600_000;

export const sharesModule = defineModule({
  name: 'shares',
  needs: ['agents', 'audit', 'clock', 'config', 'db', 'knowledge', 'publicUrl'],
  build({ agents, audit, clock, config, db, knowledge, publicUrl }: SharesDeps) {
    const shares = createShares({
      store: createShareStore(db),
      clock,
      audit,
      agents,
      documents: knowledge.documents,
      publicUrl,
      links: config.SHARE_LINKS,
      maxDays: config.SHARE_MAX_DAYS,
    });
    return {
      service: shares,
      routes: shareRoutes(shares),
      personalData: [shares.personalData],
      tickers: [
        {
          everyMs: EXPIRED_EVERY_MS,
          fault: 'shares that have expired could not be deleted',
          tick: shares.dropExpired,
        },
      ],
    };
  },
});
