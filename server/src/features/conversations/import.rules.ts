import { storable } from '../../kernel/storable.ts';
/**
 * Conversations in the exports of other products. An export is foreign data: every field is looked at before it is used, and
 * what is not understood is an error of that one conversation.
 *
 *   chatgpt    conversations.json: [{conversation_id | id, title, create_time, mapping: {id: {message, parent, children}}, current_node}]
 *   openwebui  [{id, title, archived, created_at, chat: {history: {messages: {id: {role, content, parentId, …}}, currentId}, messages}}]
 */
export type ImportSource = 'chatgpt' | 'openwebui';

export interface ImportedMessage {
  role: 'user' | 'assistant';
  content: string;
  /** Epoch ms; null where the export does not say. */
  createdAt: number | null;
  model: string | null;
}

export interface ImportedConversation {
  source: ImportSource;
  sourceId: string;
  title: string | null;
  archived: boolean;
  createdAt: number | null;
  messages: ImportedMessage[];
}

/** Why a conversation could not be taken. */
export class ImportFault extends Error {}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const own = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

export const MAX_CONVERSATIONS = 10_000;
const MAX_MESSAGES = 5_000;
const MAX_CHARACTERS = 256 * 1024;
const MAX_TITLE = 200;
const MAX_ID = 200;

/** Text that any store can hold. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? storable(value) : null);

/** Seconds, or milliseconds where the number can be nothing else; null for what is no time between 2000 and 2100. */
export const epochMs = (value: unknown): number | null => {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  const ms = Math.round(number > 1e11 ? number : number * 1000);
  return ms >= 946_684_800_000 && ms <= 4_102_444_800_000 ? ms : null;
};

const idOf = (...values: unknown[]): string => {
  const id = values.map(textOf).find((text) => text !== null && text !== '');
  if (id === undefined || id === null) throw new ImportFault('has no id');
  if (id.length > MAX_ID) throw new ImportFault(`has an id of more than ${MAX_ID} characters`);
  return id;
};

const titleOf = (value: unknown): string | null => {
  const title = textOf(value)?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return title === '' ? null : [...title].slice(0, MAX_TITLE).join('');
};

/** From a leaf to the root, oldest first; a tree that leads back to itself ends there. */
const pathTo = (nodes: Fields, leaf: string, parentOf: (node: Fields) => unknown): Fields[] => {
  const path: Fields[] = [];
  const seen = new Set<string>();
  for (let id: unknown = leaf; typeof id === 'string' && !seen.has(id); ) {
    seen.add(id);
    const node = own(nodes, id);
    if (!isFields(node)) break;
    path.push(node);
    id = parentOf(node);
  }
  return path.reverse();
};

/** The leaf that was added last, where the export does not say which one was open. */
const newestLeaf = (nodes: Fields, timeOf: (node: Fields) => number | null): string | null => {
  let newest: { id: string; time: number } | null = null;
  for (const [id, node] of Object.entries(nodes)) {
    const fields = fieldsOf(node);
    const children = fields.children ?? fields.childrenIds;
    if (Array.isArray(children) && children.length > 0) continue;
    const time = timeOf(fields) ?? 0;
    if (newest === null || time >= newest.time) newest = { id, time };
  }
  return newest?.id ?? null;
};

const partText = (part: unknown): string => {
  if (typeof part === 'string') return storable(part);
  const { content_type: type, text } = fieldsOf(part);
  if (typeof text === 'string') return storable(text);
  if (type === 'image_asset_pointer') return '[image]';
  return typeof type === 'string' ? `[${storable(type).slice(0, 40)}]` : '';
};

/** Text of a ChatGPT message; null for what was never shown (thoughts, context, calls of its tools). */
const chatGptText = (message: Fields): string | null => {
  const content = fieldsOf(message.content);
  const metadata = fieldsOf(message.metadata);
  if (metadata.is_visually_hidden_from_conversation === true) return null;
  if (message.recipient !== undefined && message.recipient !== null && message.recipient !== 'all')
    return null;
  const type = content.content_type;
  if (type !== 'text' && type !== 'multimodal_text' && type !== 'code') return null;
  if (typeof content.text === 'string') return storable(content.text);
  return Array.isArray(content.parts) ? content.parts.map(partText).filter(Boolean).join('\n') : null;
};

const roleOf = (value: unknown): ImportedMessage['role'] | null =>
  value === 'user' || value === 'assistant' ? value : null;

const fromChatGpt = (item: Fields): ImportedConversation => {
  const sourceId = idOf(item.conversation_id, item.id);
  const nodes = fieldsOf(item.mapping);
  const timeOf = (node: Fields): number | null => epochMs(fieldsOf(node.message).create_time);
  const open = textOf(item.current_node);
  const leaf = open !== null && Object.hasOwn(nodes, open) ? open : newestLeaf(nodes, timeOf);
  const path = leaf === null ? [] : pathTo(nodes, leaf, (node) => node.parent);
  const messages = path.flatMap((node): ImportedMessage[] => {
    const message = fieldsOf(node.message);
    const role = roleOf(fieldsOf(message.author).role);
    const content = role === null ? null : chatGptText(message);
    if (role === null || content === null || content.trim() === '') return [];
    return [{ role, content, createdAt: timeOf(node), model: textOf(fieldsOf(message.metadata).model_slug) }];
  });
  return {
    source: 'chatgpt',
    sourceId,
    title: titleOf(item.title),
    archived: item.is_archived === true,
    createdAt: epochMs(item.create_time),
    messages,
  };
};

const openWebUiText = (content: unknown): string => {
  if (typeof content === 'string') return storable(content);
  return Array.isArray(content) ? content.map(partText).filter(Boolean).join('\n') : '';
};

const fromOpenWebUi = (item: Fields): ImportedConversation => {
  const chat = fieldsOf(item.chat);
  const sourceId = idOf(item.id, chat.id);
  const history = fieldsOf(chat.history);
  const nodes = fieldsOf(history.messages);
  const current = textOf(history.currentId);
  const leaf =
    current !== null && Object.hasOwn(nodes, current)
      ? current
      : newestLeaf(nodes, (node) => epochMs(node.timestamp));
  const path =
    leaf === null
      ? (Array.isArray(chat.messages) ? chat.messages : []).map(fieldsOf)
      : pathTo(nodes, leaf, (node) => node.parentId);
  const messages = path.flatMap((node): ImportedMessage[] => {
    const role = roleOf(node.role);
    const content = openWebUiText(node.content);
    if (role === null || content.trim() === '') return [];
    return [{ role, content, createdAt: epochMs(node.timestamp), model: textOf(node.model) }];
  });
  return {
    source: 'openwebui',
    sourceId,
    title: titleOf(item.title ?? chat.title),
    archived: item.archived === true,
    createdAt: epochMs(item.created_at ?? chat.timestamp),
    messages,
  };
};

/** One conversation of an export. Throws `ImportFault`, whose message says what is wrong with it. */
export const readConversation = (item: unknown): ImportedConversation => {
  if (!isFields(item)) throw new ImportFault('is not an object');
  const known = isFields(item.mapping) ? fromChatGpt : isFields(item.chat) ? fromOpenWebUi : null;
  if (known === null) throw new ImportFault('is of no known export: it has neither mapping nor chat');
  const conversation = known(item);
  const { messages } = conversation;
  if (messages.length === 0) throw new ImportFault('holds no messages');
  if (messages.length > MAX_MESSAGES) throw new ImportFault(`holds more than ${MAX_MESSAGES} messages`);
  if (messages.some((message) => message.content.length > MAX_CHARACTERS))
    throw new ImportFault(`holds a message of more than ${MAX_CHARACTERS} characters`);
  return conversation;
};

/** Id and title of an item that could not be read, for the report. */
export const labelOf = (item: unknown): { source_id: string | null; title: string | null } => {
  const fields = fieldsOf(item);
  const id = textOf(fields.conversation_id) ?? textOf(fields.id);
  return { source_id: id?.slice(0, MAX_ID) ?? null, title: titleOf(fields.title) };
};

/** The list of conversations in a parsed export: a list, one conversation, or {conversations: […]}; null for none of these. */
export const itemsOf = (parsed: unknown): readonly unknown[] | null => {
  if (Array.isArray(parsed)) return parsed;
  if (!isFields(parsed)) return null;
  if (Array.isArray(parsed.conversations)) return parsed.conversations;
  return isFields(parsed.mapping) || isFields(parsed.chat) ? [parsed] : null;
};

/** Times that never run backwards, since they are what messages are ordered by: an unknown one is that of the one before. */
export const orderedTimes = (conversation: ImportedConversation, now: number): number[] => {
  let last = Math.min(conversation.createdAt ?? conversation.messages[0]?.createdAt ?? now, now);
  return conversation.messages.map((message) => {
    last = Math.max(last, Math.min(message.createdAt ?? last, now));
    return last;
  });
};
