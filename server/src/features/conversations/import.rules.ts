import { isUuid } from '../../kernel/ids.ts';
import { MAX_PICTURES, pictureName, withPictureNotes } from '../../kernel/picture.ts';
import { storable } from '../../kernel/storable.ts';
/**
 * Conversations in the exports of other products. An export is foreign data: every field is looked at before it is used, and
 * what is not understood is an error of that one conversation.
 *
 *   chatgpt    conversations.json: [{conversation_id | id, title, create_time, mapping: {id: {message, parent, children}}, current_node}]
 *   openwebui  [{id, title, archived, created_at, chat: {history: {messages: {id: {role, content, parentId, …}}, currentId}, messages}}]
 *   librechat  {conversationId, title, recursive, messages | messagesTree: [{messageId, parentMessageId, isCreatedByUser, text | content, createdAt, children}]}
 *   pentarch   {id, title, status, message_count, active_message_id, messages: [{id, parent_id, role, content, created_at, metadata}]}
 */
export type ImportSource = 'chatgpt' | 'librechat' | 'openwebui' | 'pentarch';

export interface ImportedMessage {
  role: 'user' | 'assistant';
  content: string;
  /** Epoch ms; null where the export does not say. */
  createdAt: number | null;
  model: string | null;
  /** Documents that were sent with it; of this product's exports alone. */
  documentIds?: readonly string[];
  /** Place of the message that it follows, which is before its own; null for a first one. */
  parent: number | null;
}

export interface ImportedConversation {
  source: ImportSource;
  sourceId: string;
  title: string | null;
  archived: boolean;
  createdAt: number | null;
  /** All branches. */
  messages: ImportedMessage[];
  /** Place of the message with which the branch ends that was open; -1 where the export does not say. */
  openAt: number;
}

/** Why a conversation could not be taken. */
export class ImportFault extends Error {}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const MAX_CONVERSATIONS = 10_000;
const MAX_MESSAGES = 5_000;
const MAX_CHARACTERS = 256 * 1024;
const MAX_ATTACHMENTS = 100;
const MAX_TITLE = 200;
const MAX_ID = 200;

/** Text that any store can hold. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? storable(value) : null);

const ISO = /^\d{4}-\d\d-\d\dT/;

/** Seconds, or milliseconds where the number can be nothing else; null for what is no time between 2000 and 2100. */
export const epochMs = (value: unknown): number | null => {
  const text = typeof value === 'string' ? value : null;
  // A time of ISO 8601 is milliseconds; any other text is a number.
  const number = text === null ? value : ISO.test(text) ? Date.parse(text) : Number(text);
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

/** A message of another product's tree, with what it follows there; `message` null: it was never shown, and its followers are its parent's. */
interface SourceNode {
  id: string;
  parent: unknown;
  message: Omit<ImportedMessage, 'parent'> | null;
}

/** The nearest shown message at or above a node; null where there is none, or the tree leads back to itself. */
const shownAt = (nodes: ReadonlyMap<string, SourceNode>, from: unknown): string | null => {
  const seen = new Set<string>();
  for (let id: unknown = from; typeof id === 'string' && !seen.has(id); ) {
    seen.add(id);
    const node = nodes.get(id);
    if (node === undefined) return null;
    if (node.message !== null) return id;
    id = node.parent;
  }
  return null;
};

/** What leads back to itself begins where it would be met again, seen from the message that was open. */
const cutLoops = (parents: Map<string, string | null>, open: string | null): void => {
  const done = new Set<string>();
  for (const start of [...(open === null ? [] : [open]), ...parents.keys()]) {
    const walked = new Set<string>();
    for (let id: string | null = start; id !== null && !done.has(id); ) {
      walked.add(id);
      const parent: string | null = parents.get(id) ?? null;
      if (parent !== null && walked.has(parent)) {
        parents.set(id, null);
        break;
      }
      id = parent;
    }
    for (const id of walked) done.add(id);
  }
};

/** Ids, each behind the one that it follows. */
const inOrder = (parents: ReadonlyMap<string, string | null>): string[] => {
  const followers = Map.groupBy(parents.keys(), (id) => parents.get(id) ?? null);
  const order = [...(followers.get(null) ?? [])];
  // It grows while it is walked.
  for (const id of order) order.push(...(followers.get(id) ?? []));
  return order;
};

/** The shown messages of a tree, each behind the one that it follows, and the place of the one that was open (-1: not known). */
const treeFrom = (
  list: readonly SourceNode[],
  open: string | null,
): Pick<ImportedConversation, 'messages' | 'openAt'> => {
  const nodes = new Map(list.map((node) => [node.id, node]));
  const parents = new Map<string, string | null>();
  for (const { id, parent, message } of nodes.values())
    if (message !== null) parents.set(id, shownAt(nodes, parent));
  const shown = open === null ? null : shownAt(nodes, open);
  cutLoops(parents, shown);
  const order = inOrder(parents);
  const places = new Map(order.map((id, at) => [id, at]));
  const messages = order.flatMap((id, at): ImportedMessage[] => {
    const message = nodes.get(id)?.message ?? null;
    if (message === null) return [];
    const parentAt = places.get(parents.get(id) ?? '') ?? -1;
    return [{ ...message, parent: parentAt >= 0 && parentAt < at ? parentAt : null }];
  });
  return { messages, openAt: shown === null ? -1 : (places.get(shown) ?? -1) };
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
  const nodes = Object.entries(fieldsOf(item.mapping)).map(([id, value]): SourceNode => {
    const node = fieldsOf(value);
    const message = fieldsOf(node.message);
    const role = roleOf(fieldsOf(message.author).role);
    const content = role === null ? null : chatGptText(message);
    const shown = role !== null && content !== null && content.trim() !== '';
    const model = textOf(fieldsOf(message.metadata).model_slug);
    return {
      id,
      parent: node.parent,
      message: shown ? { role, content, createdAt: epochMs(message.create_time), model } : null,
    };
  });
  return {
    source: 'chatgpt',
    sourceId,
    title: titleOf(item.title),
    archived: item.is_archived === true,
    createdAt: epochMs(item.create_time),
    ...treeFrom(nodes, textOf(item.current_node)),
  };
};

const openWebUiText = (content: unknown): string => {
  if (typeof content === 'string') return storable(content);
  return Array.isArray(content) ? content.map(partText).filter(Boolean).join('\n') : '';
};

/** A message without words was never shown. */
const nodeOf = (id: string, parent: unknown, message: SourceNode['message']): SourceNode => ({
  id,
  parent,
  message: message === null || message.content.trim() === '' ? null : message,
});

/** Of a list: each message follows the one before. */
const chainOf = (messages: readonly SourceNode['message'][]): SourceNode[] =>
  messages.map((message, at) => nodeOf(String(at), at === 0 ? null : String(at - 1), message));

const openWebUiMessage = (node: Fields): SourceNode['message'] => {
  const role = roleOf(node.role);
  if (role === null) return null;
  const content = openWebUiText(node.content);
  return { role, content, createdAt: epochMs(node.timestamp), model: textOf(node.model) };
};

const fromOpenWebUi = (item: Fields): ImportedConversation => {
  const chat = fieldsOf(item.chat);
  const sourceId = idOf(item.id, chat.id);
  const history = fieldsOf(chat.history);
  const tree = Object.entries(fieldsOf(history.messages)).map(
    ([id, value]): SourceNode => nodeOf(id, fieldsOf(value).parentId, openWebUiMessage(fieldsOf(value))),
  );
  // Without its tree, an old export is a list.
  const list = Array.isArray(chat.messages) ? chat.messages.map(fieldsOf) : [];
  const nodes = tree.length > 0 ? tree : chainOf(list.map(openWebUiMessage));
  return {
    source: 'openwebui',
    sourceId,
    title: titleOf(item.title ?? chat.title),
    archived: item.archived === true,
    createdAt: epochMs(item.created_at ?? chat.timestamp),
    ...treeFrom(nodes, textOf(history.currentId) ?? nodes.at(-1)?.id ?? null),
  };
};

/** Text of a message whose parts are {type, text} or {type, text: {value}}; what is no text is left out. */
const libreChatText = ({ text, content }: Fields): string => {
  if (typeof text === 'string' && text !== '') return storable(text);
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.map((part) => {
    const said = fieldsOf(part).text;
    return textOf(typeof said === 'string' ? said : fieldsOf(said).value);
  });
  return texts.filter((one) => one !== null && one !== '').join('\n');
};

const libreChatNode = (node: Fields, under: unknown): SourceNode =>
  nodeOf(textOf(node.messageId) ?? '', under, {
    role: node.isCreatedByUser === true ? 'user' : 'assistant',
    content: libreChatText(node),
    createdAt: epochMs(node.createdAt),
    model: node.isCreatedByUser === true ? null : textOf(node.model),
  });

/** A list of messages that name their parents, or with their followers inside of them. */
const libreChatNodes = (given: unknown): SourceNode[] => {
  const nodes: SourceNode[] = [];
  const line = (Array.isArray(given) ? given : []).map((node) => ({
    node: fieldsOf(node),
    under: fieldsOf(node).parentMessageId,
  }));
  // It grows while it is walked.
  for (const { node, under } of line) {
    nodes.push(libreChatNode(node, under));
    if (nodes.length > MAX_MESSAGES) throw new ImportFault(`holds more than ${MAX_MESSAGES} messages`);
    for (const child of Array.isArray(node.children) ? node.children : [])
      line.push({ node: fieldsOf(child), under: node.messageId });
  }
  return nodes;
};

/** What was open is not said: LibreChat shows the newest version of each message. */
const fromLibreChat = (item: Fields): ImportedConversation => ({
  source: 'librechat',
  sourceId: idOf(item.conversationId),
  title: titleOf(item.title),
  archived: item.isArchived === true,
  createdAt: epochMs(item.createdAt),
  ...treeFrom(libreChatNodes(item.messagesTree ?? item.messages), null),
});

/** Each once, however often and in which case it is named. */
const documentIds = (attachments: unknown): string[] => {
  const ids = (Array.isArray(attachments) ? attachments : [])
    .map((one) => fieldsOf(one).document_id)
    .filter((id): id is string => typeof id === 'string' && isUuid(id))
    .map((id) => id.toLowerCase());
  return [...new Set(ids)].slice(0, MAX_ATTACHMENTS);
};

/** The words of a message with the names of its pictures: an export does not hold their bytes. */
const ownText = ({ content, pictures }: Fields): string => {
  const shown = (Array.isArray(pictures) ? pictures : []).slice(0, MAX_PICTURES).map((one) => {
    const name = textOf(fieldsOf(one).name);
    return { name: pictureName(name ?? 'image', 'image/png') };
  });
  const text = textOf(content) ?? '';
  return shown.length === 0 ? text : withPictureNotes(text, shown);
};

const ownMessage = (node: Fields): SourceNode['message'] => ({
  role: node.role === 'user' ? 'user' : 'assistant',
  content: ownText(node),
  createdAt: epochMs(node.created_at),
  model: textOf(fieldsOf(node.metadata).model),
  documentIds: documentIds(node.attachments),
});

/** An export of this product; those of releases before 2.1 are lists. */
const fromPentarch = (item: Fields): ImportedConversation => {
  const list = (Array.isArray(item.messages) ? item.messages : []).map(fieldsOf);
  const isTree = list.some((node) => Object.hasOwn(node, 'parent_id'));
  const nodes = isTree
    ? list.map((node) =>
        nodeOf(textOf(node.id) ?? '', node.parent_id, node.role === 'tool' ? null : ownMessage(node)),
      )
    : chainOf(list.map((node) => (node.role === 'tool' ? null : ownMessage(node))));
  return {
    source: 'pentarch',
    sourceId: idOf(item.id),
    title: titleOf(item.title),
    archived: item.status === 'archived',
    createdAt: epochMs(item.created_at),
    ...treeFrom(nodes, isTree ? textOf(item.active_message_id) : (nodes.at(-1)?.id ?? null)),
  };
};

const FORMS: readonly [is: (item: Fields) => boolean, read: (item: Fields) => ImportedConversation][] = [
  [({ mapping }) => isFields(mapping), fromChatGpt],
  [({ chat }) => isFields(chat), fromOpenWebUi],
  [
    ({ conversationId, messages, messagesTree }) =>
      typeof conversationId === 'string' && (Array.isArray(messages) || Array.isArray(messagesTree)),
    fromLibreChat,
  ],
  [
    ({ message_count: count, messages }) => typeof count === 'number' && Array.isArray(messages),
    fromPentarch,
  ],
];

const formOf = (item: Fields) => FORMS.find(([is]) => is(item))?.[1] ?? null;

/** One conversation of an export. Throws `ImportFault`, whose message says what is wrong with it. */
export const readConversation = (item: unknown): ImportedConversation => {
  if (!isFields(item)) throw new ImportFault('is not an object');
  const read = formOf(item);
  if (read === null)
    throw new ImportFault(
      'is of no known export: it has neither mapping nor chat nor messages with their form',
    );
  const conversation = read(item);
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
  const id = textOf(fields.conversation_id) ?? textOf(fields.id) ?? textOf(fields.conversationId);
  return { source_id: id?.slice(0, MAX_ID) ?? null, title: titleOf(fields.title) };
};

/** The list of conversations in a parsed export: a list, one conversation, or {conversations: […]}; null for none of these. */
export const itemsOf = (parsed: unknown): readonly unknown[] | null => {
  if (Array.isArray(parsed)) return parsed;
  if (!isFields(parsed)) return null;
  if (Array.isArray(parsed.conversations)) return parsed.conversations;
  return formOf(parsed) === null ? null : [parsed];
};

/** Times that never run backwards along a branch, since they are what messages are ordered by: an unknown one is that of the one before. */
export const orderedTimes = (conversation: ImportedConversation, now: number): number[] => {
  const first = Math.min(conversation.createdAt ?? conversation.messages[0]?.createdAt ?? now, now);
  const times: number[] = [];
  for (const { createdAt, parent } of conversation.messages) {
    const before = parent === null ? first : (times[parent] ?? first);
    times.push(Math.max(before, Math.min(createdAt ?? before, now)));
  }
  return times;
};

/** Places of the branch that was open; where the export does not say, the one with the newest message. */
export const openBranch = (
  { messages, openAt }: ImportedConversation,
  times: readonly number[],
): ReadonlySet<number> => {
  let leaf = openAt;
  if (leaf < 0)
    for (const [at, time] of times.entries()) if (leaf < 0 || time >= (times[leaf] ?? 0)) leaf = at;
  const branch = new Set<number>();
  for (let at: number | null = leaf; at !== null && at >= 0; at = messages[at]?.parent ?? null)
    branch.add(at);
  return branch;
};
