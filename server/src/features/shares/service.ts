import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Along, Tx } from '../../db/db.ts';
import type { ConversationShareRow } from '../../db/tables/chat.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import { AppError, conflict, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import type { AgentService } from '../agents/index.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { messageOf } from '../conversations/index.ts';
import type { Knowledge } from '../knowledge/index.ts';
import type { Person } from '../users/index.ts';
import { documentsIn, expiryOf, sharedMessage, times } from './rules.ts';
import type { CreatedShare, CreateShare, Share, SharedConversation, SharedMessage } from './schema.ts';
import type { ShareStore } from './store.ts';

export interface SharesOptions {
  store: ShareStore;
  clock: Clock;
  audit: Pick<Audit, 'append'>;
  agents: Pick<AgentService, 'effective'>;
  documents: Knowledge['documents'];
  /** Where the console is. */
  publicUrl(): string;
  /** Links that need no sign-in may be made, and are opened. */
  links: boolean;
  maxDays: number;
}

/** Who opens a share: a person of a tenant, or whoever has the link. */
export interface ShareReader {
  caller: Caller | null;
  requestId: string;
  address: string;
}

const TOKEN_BYTES = 32;
const hashOf = (token: string): string => hash('sha256', token, 'base64url');

const shareOf = (row: ConversationShareRow): Share => ({
  id: row.id,
  conversation_id: row.conversation_id,
  audience: row.audience === 'link' ? 'link' : 'tenant',
  title: row.title,
  up_to_message_id: row.message_id,
  ...times(row),
});

/** One row of the audit for a reader who looks again and again within this time. */
const OPENED_EVERY_MS = 60_000;
const MAX_OPENED = 10_000;
const MAX_SHARES = 100;

export const createShares = (options: SharesOptions) => {
  const { store, clock, audit } = options;
  const opened = new LRUCache<string, true>({ max: MAX_OPENED, ttl: OPENED_EVERY_MS });

  const mayRead = (row: ConversationShareRow, caller: Caller | null): boolean =>
    (caller === null || row.tenant_id === caller.tenantId) &&
    (row.audience === 'link' ? options.links : caller !== null);

  const findOwn = async (caller: Caller, id: string) => {
    const row = await store.conversation(caller, id);
    if (row === undefined) throw notFound('conversation');
    return row;
  };

  /** The last message that is to be shown. Throws NOT_FOUND, CONFLICT, VALIDATION_ERROR. */
  const lastOf = async (conversationId: string, asked: string | undefined): Promise<string> => {
    const last = asked ?? (await store.leaf(conversationId));
    if (last === null) throw invalid({ field: '/up_to_message_id', reason: 'nothing has been said yet' });
    const path = await store.path(conversationId, last);
    if (path.length === 0) throw notFound('message');
    const open = await store.openAnswers(conversationId);
    if (open.some((answer) => path.includes(answer)))
      throw conflict('an answer up to this message has not ended');
    return last;
  };

  const noteOpened = async (
    row: ConversationShareRow,
    { caller, requestId, address }: ShareReader,
  ): Promise<void> => {
    const key = `${row.id} ${caller?.userId ?? address}`;
    if (opened.has(key)) return;
    const actor =
      caller === null
        ? { tenantId: row.tenant_id, actorId: null, actorType: 'system' as const }
        : actorOf(caller);
    await store.write((tx) =>
      audit.append(tx, {
        ...actor,
        action: 'share.opened',
        targetType: 'share',
        targetId: row.id,
        requestId,
        address,
        details: { conversation_id: row.conversation_id, audience: row.audience },
      }),
    );
    opened.set(key, true);
  };

  const shown = async (row: ConversationShareRow, caller: Caller | null): Promise<SharedConversation> => {
    const ids = await store.path(row.conversation_id, row.message_id);
    const messages = (await store.messages(row.conversation_id, ids)).map((message) => messageOf(message));
    const named = documentsIn(messages);
    const found =
      caller?.permissions.has('knowledge:read') === true && named.length > 0
        ? await options.documents(readScope(caller), named)
        : [];
    const readable = new Map(found.map(({ id, title }) => [id, title]));
    const agents = await options.agents.effective(row.tenant_id);
    const nameOf = (id: string): string | null => agents.get(id)?.definition.name ?? null;
    return {
      title: row.title,
      audience: row.audience === 'link' ? 'link' : 'tenant',
      shared_at: iso(row.created_at),
      expires_at: iso(row.expires_at),
      messages: messages.flatMap((message): SharedMessage[] => {
        const view = sharedMessage(message, nameOf, readable);
        return view === null ? [] : [view];
      }),
    };
  };

  return {
    /** Throws NOT_FOUND, CONFLICT, FORBIDDEN, VALIDATION_ERROR. */
    async create(
      caller: Caller,
      conversationId: string,
      asked: CreateShare,
      note: (tx: Tx, id: string) => Promise<void>,
    ): Promise<CreatedShare> {
      const { title } = await findOwn(caller, conversationId);
      if (asked.audience === 'link' && !options.links)
        throw new AppError(
          'FORBIDDEN',
          'links that need no sign-in are switched off here (SHARE_LINKS); share it within the tenant',
          { details: { required: 'SHARE_LINKS' } },
        );
      const now = clock.now();
      const expires = expiryOf(asked.expires_at, now, options.maxDays);
      const last = await lastOf(conversationId, asked.up_to_message_id);
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const row: ConversationShareRow = {
        id: newId(),
        tenant_id: caller.tenantId,
        user_id: caller.userId,
        conversation_id: conversationId,
        message_id: last,
        audience: asked.audience,
        secret_hash: hashOf(token),
        title,
        created_at: now,
        expires_at: expires,
      };
      const made = await store.insert(row, MAX_SHARES, (tx) => note(tx, row.id));
      if (made === 'gone') throw notFound('conversation');
      if (made === 'full') throw conflict(`a conversation has at most ${MAX_SHARES} shares; revoke some`);
      // Behind the sign #, opening the address sends the token nowhere.
      return { ...shareOf(row), token, url: `${options.publicUrl()}/share#${token}` };
    },

    async list(
      caller: Caller,
      conversationId: string,
      query: { page?: number; limit?: number; cursor?: string },
    ): Promise<PageResult<Share>> {
      await findOwn(caller, conversationId);
      const page = pageRequest(query);
      const { rows, total } = await store.list(conversationId, clock.now(), page);
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
      return { ...result, items: result.items.map(shareOf) };
    },

    /** Throws NOT_FOUND. */
    async revoke(caller: Caller, conversationId: string, id: string, note: Along): Promise<void> {
      if (!(await store.revoke(caller, conversationId, id, note))) throw notFound('share');
    },

    /** By a person of its tenant, or without a sign-in where it is a link and links are allowed. Throws NOT_FOUND. */
    async open(token: string, reader: ShareReader): Promise<SharedConversation> {
      const row = await store.open(hashOf(token), clock.now());
      if (row === undefined || !mayRead(row, reader.caller)) throw notFound('share');
      const view = await shown(row, reader.caller);
      await noteOpened(row, reader);
      // It may have been revoked while it was read.
      if ((await store.open(row.secret_hash, clock.now())) === undefined) throw notFound('share');
      return view;
    },

    personalData: {
      name: 'shares',
      exportData: async (person: Person): Promise<Share[]> => (await store.ofPerson(person)).map(shareOf),
      eraseData: (person: Person): Promise<number> => store.eraseOf(person),
    },

    dropExpired: () => store.dropExpired(clock.now()),
  };
};

export type Shares = ReturnType<typeof createShares>;
