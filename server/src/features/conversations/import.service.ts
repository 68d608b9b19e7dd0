import type { ConversationRow, MessageRow } from '../../db/tables/chat.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type OpenArchive, ParseError } from '../../kernel/parser.ts';
import { taintText } from '../../kernel/taint.ts';
import { attachmentsText } from './attachments.rules.ts';
import { titleFrom } from './export.rules.ts';
import {
  type ImportedConversation,
  type ImportedMessage,
  ImportFault,
  itemsOf,
  labelOf,
  MAX_CONVERSATIONS,
  openBranch,
  orderedTimes,
  readConversation,
} from './import.rules.ts';
import type { ImportStore, NewImport } from './import.store.ts';
import type { ImportReport } from './schema.ts';
import { ACTIVE, INACTIVE } from './tree.rules.ts';

/** Bringing in the conversations of other products. */
export interface ImportOptions {
  store: ImportStore;
  clock: Clock;
  openArchive: OpenArchive;
  /** Those of these ids that the caller can read. */
  documents(caller: Caller, ids: readonly string[]): Promise<readonly { id: string; title: string }[]>;
}

/** ChatGPT splits a large export into several files. */
const PARTS = /(?:^|\/)conversations(?:[-_]\d+)?\.json$/i;
const ZIP_MARK = 0x50_4b_03_04;
const BATCH = 50;
/** Ids in one statement: engines bound the number of its values. */
const TITLES_AT_ONCE = 500;
/** What a report lists; the others are counted. */
const MAX_LISTED_ERRORS = 100;

type Titles = ReadonlyMap<string, string>;

const isZip = (bytes: Uint8Array): boolean =>
  bytes.byteLength >= 4 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) === ZIP_MARK;

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw invalid({
      field: '/file',
      reason: 'must be JSON in UTF-8, or a zip archive with conversations.json',
    });
  }
};

const listOf = (parsed: unknown): readonly unknown[] => {
  const items = itemsOf(parsed);
  if (items === null)
    throw invalid({
      field: '/',
      reason: 'must be a list of conversations as ChatGPT, Open WebUI, LibreChat or this product exports it',
    });
  return items;
};

/** Documents that a message names, as far as there are such here; no record of others is named by what comes in. */
const attachedTo = ({ documentIds = [] }: ImportedMessage, readable: Titles): string | null =>
  attachmentsText(
    documentIds.flatMap((id) => {
      const title = readable.get(id);
      return title === undefined ? [] : [{ id, title }];
    }),
  );

export const createImporter = ({ store, clock, openArchive, documents }: ImportOptions) => {
  const fromArchive = (bytes: Uint8Array): unknown[] => {
    try {
      const archive = openArchive(bytes);
      const names = archive.names.filter((name) => PARTS.test(name)).sort();
      if (names.length === 0) throw invalid({ field: '/file', reason: 'holds no conversations.json' });
      return names.flatMap((name) => [...listOf(parseJson(archive.read(name) ?? new Uint8Array()))]);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      if (error.fault === 'too_large')
        throw new AppError('PAYLOAD_TOO_LARGE', error.message, { cause: error });
      throw invalid({ field: '/file', reason: error.message });
    }
  };

  const titlesFor = async (caller: Caller, { messages }: ImportedConversation): Promise<Titles> => {
    const ids = [...new Set(messages.flatMap((message) => message.documentIds ?? []))];
    const found: [string, string][] = [];
    for (let at = 0; at < ids.length; at += TITLES_AT_ONCE)
      for (const { id, title } of await documents(caller, ids.slice(at, at + TITLES_AT_ONCE)))
        found.push([id, title]);
    return new Map(found);
  };

  const rowsOf = async (caller: Caller, read: ImportedConversation, now: number): Promise<NewImport> => {
    const titles = await titlesFor(caller, read);
    const owner = { tenant_id: caller.tenantId, user_id: caller.userId };
    const id = newId();
    const times = orderedTimes(read, now);
    const branch = openBranch(read, times);
    const ids = read.messages.map(() => newId());
    const question = read.messages.find((message) => message.role === 'user') ?? read.messages[0];
    const conversation: ConversationRow = {
      ...owner,
      id,
      title: read.title ?? titleFrom(question?.content ?? ''),
      status: read.archived ? 'archived' : 'active',
      metadata: JSON.stringify({ source: read.source, source_id: read.sourceId }),
      agent_ids: '[]',
      message_count: branch.size,
      cost_nano: 0,
      created_at: Math.min(...times),
      updated_at: Math.max(...times),
      archived_at: read.archived ? now : null,
      taint: taintText(['import']),
      branched: branch.size === read.messages.length ? 0 : 1,
    };
    const messages = read.messages.map(
      (message, i): MessageRow => ({
        ...owner,
        id: ids[i] ?? newId(),
        conversation_id: id,
        role: message.role,
        content: message.content,
        agent_id: null,
        tool_calls: null,
        citations: null,
        usage: null,
        metadata: JSON.stringify({
          imported: true,
          ...(message.model === null ? {} : { model: message.model.slice(0, 200) }),
        }),
        cost_nano: 0,
        run_id: null,
        created_at: times[i] ?? now,
        parent_id: message.parent === null ? null : (ids[message.parent] ?? null),
        active: branch.has(i) ? ACTIVE : INACTIVE,
        attachments: attachedTo(message, titles),
      }),
    );
    return {
      conversation,
      messages,
      mark: { ...owner, source: read.source, source_id: read.sourceId, conversation_id: id, created_at: now },
    };
  };

  return {
    /** The conversations of an uploaded file. Throws VALIDATION_ERROR and PAYLOAD_TOO_LARGE. */
    readFile: (bytes: Uint8Array): readonly unknown[] =>
      isZip(bytes) ? fromArchive(bytes) : listOf(parseJson(bytes)),

    /** Of a JSON body. Throws VALIDATION_ERROR. */
    readBody: listOf,

    /**
     * Takes in what is new: a conversation that the caller has imported before is skipped, one that cannot be read is an
     * error of its own, and the others come in all the same.
     */
    async run(caller: Caller, items: readonly unknown[]): Promise<ImportReport> {
      if (items.length > MAX_CONVERSATIONS)
        throw invalid({ field: '/', reason: `must have at most ${MAX_CONVERSATIONS} conversations` });
      const report: ImportReport = { imported: 0, skipped: 0, failed: 0, conversation_ids: [], errors: [] };
      const now = clock.now();
      const seen = new Set<string>();
      let batch: NewImport[] = [];
      const flush = async (): Promise<void> => {
        if (batch.length === 0) return;
        const taken = await store.take(batch);
        report.imported += taken.length;
        report.skipped += batch.length - taken.length;
        report.conversation_ids.push(...taken);
        batch = [];
      };
      for (const [index, item] of items.entries()) {
        try {
          const read = readConversation(item);
          const key = `${read.source} ${read.sourceId}`;
          if (seen.has(key)) report.skipped += 1;
          else batch.push(await rowsOf(caller, read, now));
          seen.add(key);
        } catch (error) {
          if (!(error instanceof ImportFault)) throw error;
          report.failed += 1;
          if (report.errors.length < MAX_LISTED_ERRORS)
            report.errors.push({ index, ...labelOf(item), reason: error.message });
        }
        if (batch.length >= BATCH) await flush();
      }
      await flush();
      return report;
    },
  };
};

export type Importer = ReturnType<typeof createImporter>;
