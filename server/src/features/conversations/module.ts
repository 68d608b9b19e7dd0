import type { Db } from '../../db/db.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { ownScope } from '../../kernel/caller.ts';
import type { OpenArchive } from '../../kernel/parser.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { Knowledge } from '../knowledge/index.ts';
import { createFeedbackStore } from './feedback.store.ts';
import { createGramSearch } from './gram-search.ts';
import { importRoutes } from './import.routes.ts';
import { createImporter } from './import.service.ts';
import { createImportStore } from './import.store.ts';
import { conversationRoutes } from './routes.ts';
import { createConversationService } from './service.ts';
import { createConversationStore } from './store.ts';
import { feedbackTools } from './tools.ts';

export interface ConversationsDeps extends Pick<Given, 'clock' | 'onError'> {
  config: { MAX_UPLOAD_BYTES: number };
  db: Db;
  idempotency: Idempotency;
  knowledge: Pick<Knowledge, 'documents'>;
  parsing: { openArchive: OpenArchive };
}

/** Their personal data is given by `chat`, which can also stop what goes on in them. */
export const conversationsModule = defineModule({
  name: 'conversations',
  needs: ['clock', 'config', 'db', 'idempotency', 'knowledge', 'onError', 'parsing'],
  build({ clock, config, db, idempotency, knowledge, onError, parsing }: ConversationsDeps) {
    const search = createGramSearch({
      db,
      now: () => clock.now(),
      onError: (error) => onError(error, 'the search in conversations'),
    });
    const conversations = createConversationService({ store: createConversationStore(db, search), clock });
    const importer = createImporter({
      store: createImportStore(db),
      clock,
      openArchive: parsing.openArchive,
      documents: async (caller, ids) =>
        caller.permissions.has('knowledge:read') ? knowledge.documents(ownScope(caller), ids) : [],
    });
    return {
      service: conversations,
      routes: [
        ...importRoutes({ importer, idempotency, maxUploadBytes: config.MAX_UPLOAD_BYTES }),
        ...conversationRoutes(conversations),
      ],
      tools: [feedbackTools({ store: createFeedbackStore(db), clock })],
      stop: () => search.close(),
    };
  },
});
