import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../../src/adapters/guarded-fetch/index.ts';
import { knowledgeBackgroundSuite } from '../suites/knowledge-background.ts';
import { knowledgeHttpSuite } from '../suites/knowledge-http.ts';
import { knowledgeRecoverySuite } from '../suites/knowledge-recovery.ts';
import { knowledgeRolesSuite } from '../suites/knowledge-roles.ts';
import { knowledgeSourcesSuite } from '../suites/knowledge-sources.ts';
import { openKnowledge } from '../support/knowledge.ts';
import { pgvectorBinaries } from '../support/pgvector.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

const bin = pgvectorBinaries();

describe('with pgvector', () => {
  let postgres: TestPostgres | null = null;
  beforeAll(async () => {
    if (bin === null)
      throw new Error('no PostgreSQL with pgvector here: see server/test/support/pgvector.ts');
    postgres = await startPostgres(bin);
  });
  afterAll(async () => {
    await postgres?.stop();
  });
  const freshUrl = async (): Promise<string> => {
    if (postgres === null) throw new Error('PostgreSQL has not been started');
    return postgres.freshUrl();
  };
  knowledgeHttpSuite('PostgreSQL', async () => openKnowledge({ postgresUrl: await freshUrl() }));
  knowledgeRolesSuite('PostgreSQL', async (options) =>
    openKnowledge({ ...options, postgresUrl: await freshUrl() }),
  );
  knowledgeSourcesSuite('PostgreSQL', async (options) =>
    openKnowledge({ http: createGuardedFetch(options), postgresUrl: await freshUrl() }),
  );
  knowledgeBackgroundSuite('PostgreSQL', async () => ({ postgresUrl: await freshUrl() }));
  knowledgeRecoverySuite('PostgreSQL', async () => ({ postgresUrl: await freshUrl() }));
});

describe('without pgvector', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('refuses to start and says what to install', async () => {
    const url = await postgres.freshUrl();
    await expect(openKnowledge({ postgresUrl: url })).rejects.toThrow(
      /lacks the extension pgvector.*CREATE EXTENSION vector/,
    );
  });
});
