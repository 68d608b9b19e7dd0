import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../../kernel/caller.ts';
import { AppError } from '../../../kernel/errors.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { cursorOf, cutOf, placeOf, readUri, uriOf } from './resource-uri.rules.ts';

/** Records of the caller that clients of `/mcp` can read, by the rights of their routes. */
export interface DoorRecord {
  id: string;
  title: string;
  description: string;
  changedAt: string;
}

export interface RecordPage {
  items: DoorRecord[];
  /** Cursor of the next page; null for the last. */
  next: string | null;
}

export interface DoorRecords {
  /** Of the address: `pentarch://<kind>/<id>`. */
  kind: string;
  title: string;
  description: string;
  mimeType: string;
  permission: string;
  list(caller: Caller, page: { limit: number; cursor: string | null }): Promise<RecordPage>;
  /** Its text. Throws NOT_FOUND, and CONFLICT for what cannot be read yet. */
  read(caller: Caller, id: string): Promise<string>;
}

const PAGE = 50;
/** Longest part that is read at once, in characters. */
const MAX_CHARACTERS = 200_000;
const MAX_COMPLETIONS = 100;

const badCursor = (): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'this cursor is not known');

const sourcesFor = (records: readonly DoorRecords[], caller: Caller): readonly DoorRecords[] =>
  records.filter(({ permission }) => caller.permissions.has(permission));

/** One list after the other; the cursor says in which one the next page begins. */
const listPage = async (sources: readonly DoorRecords[], caller: Caller, cursor: string | undefined) => {
  const place = cursor === undefined ? { kind: sources[0]?.kind ?? '', within: null } : placeOf(cursor);
  const at = place === null ? -1 : sources.findIndex(({ kind }) => kind === place.kind);
  if (place === null || (at < 0 && cursor !== undefined)) throw badCursor();
  const resources = [];
  let within: string | null = place.within;
  for (const source of at < 0 ? [] : sources.slice(at)) {
    if (resources.length >= PAGE)
      return { resources, nextCursor: cursorOf({ kind: source.kind, within: null }) };
    const { items, next }: RecordPage = await source
      .list(caller, { limit: PAGE - resources.length, cursor: within })
      .catch((error: unknown) => {
        throw error instanceof AppError && error.code === 'VALIDATION_ERROR' ? badCursor() : error;
      });
    for (const { id, title, description, changedAt } of items) {
      resources.push({
        uri: uriOf(source.kind, id),
        name: id,
        title,
        ...(description === '' ? {} : { description }),
        mimeType: source.mimeType,
        annotations: { lastModified: changedAt },
      });
    }
    if (next !== null) return { resources, nextCursor: cursorOf({ kind: source.kind, within: next }) };
    within = null;
  }
  return { resources };
};

const read = async (sources: readonly DoorRecords[], caller: Caller, uri: string) => {
  const asked = readUri(uri);
  const source = sources.find(({ kind }) => kind === asked?.kind);
  // What may not be read and what is not there look the same.
  if (asked === null || source === undefined || !isUuid(asked.id)) throw new ResourceNotFoundError(uri);
  try {
    const { text, next, of } = cutOf(await source.read(caller, asked.id), asked.from, MAX_CHARACTERS);
    const more =
      next === null
        ? ''
        : `\n\n[Cut at character ${next} of ${of}: read on at ${uriOf(source.kind, asked.id)}?from=${next}]`;
    return { contents: [{ uri, mimeType: source.mimeType, text: `${text}${more}` }] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'INTERNAL_ERROR') throw error;
    if (error.code === 'NOT_FOUND') throw new ResourceNotFoundError(uri);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
};

/** The handlers of resources; nothing is told of changes, and no client is promised it. */
export const serveResources = (
  server: Server,
  records: readonly DoorRecords[],
  caller: () => Caller,
): void => {
  const sources = (): readonly DoorRecords[] => sourcesFor(records, caller());
  server.setRequestHandler('resources/list', ({ params }) => listPage(sources(), caller(), params?.cursor));
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    if (params?.cursor !== undefined) throw badCursor();
    return {
      resourceTemplates: sources().map(({ kind, title, description, mimeType }) => ({
        uriTemplate: `${uriOf(kind, '{id}')}{?from}`,
        name: kind,
        title,
        description: `${description} \`from\`: the character to begin at; at most ${MAX_CHARACTERS} are read at once`,
        mimeType,
      })),
    };
  });
  server.setRequestHandler('resources/read', ({ params }) => read(sources(), caller(), params.uri));
};

/** Ids of the newest records that begin with what is typed. */
export const completeRecord = async (
  records: readonly DoorRecords[],
  caller: Caller,
  template: string,
  typed: string,
): Promise<string[]> => {
  const source = sourcesFor(records, caller).find(({ kind }) => template.startsWith(uriOf(kind, '{id}')));
  if (source === undefined) return [];
  const { items } = await source.list(caller, { limit: MAX_COMPLETIONS, cursor: null });
  return items.map(({ id }) => id).filter((id) => id.startsWith(typed));
};
