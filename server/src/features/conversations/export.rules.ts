import { pictureNote } from '../../kernel/picture.ts';
import type { Conversation, FinishReason, Message } from './schema.ts';

const SPEAKER: Record<Message['role'], string> = { user: 'You', assistant: 'Assistant', tool: 'Tool' };

const ENDS: Partial<Record<FinishReason, string>> = {
  length: 'The answer was cut at the length limit.',
  cancelled: 'The answer was stopped.',
  awaiting_approval: 'The answer waits for approval.',
  cost_exceeded: 'The answer ended at a cost limit.',
  failed: 'The answer failed',
  interrupted: 'The answer was interrupted',
};

/** What a reader must know of an answer that is not whole. */
const endLine = ({ finish_reason: reason, error }: Message): string => {
  const said = reason === null ? undefined : ENDS[reason];
  if (said === undefined) return '';
  return `\n\n_${error === null ? said : `${said.replace(/\.$/, '')}: ${error.message}`}_`;
};

/** A conversation as Markdown a person reads: speaker and time as headings, citations as a list below the answer. */
const picturesNamed = ({ pictures = [] }: Pick<Message, 'pictures'>): string[] =>
  pictures.map((picture) => pictureNote(picture));

export const toMarkdown = (conversation: Conversation, messages: readonly Message[]): string => {
  const head = `# ${conversation.title ?? 'Conversation'}\n\nStarted ${conversation.created_at} · ${conversation.message_count} messages · ${conversation.total_cost_usd} USD\n`;
  const parts = messages.map((message) => {
    const speaker = message.agent_id ?? SPEAKER[message.role];
    const citations = message.citations.map(
      (c, i) => `${i + 1}. ${c.title}${c.page === null ? '' : `, page ${c.page}`}: “${c.quote}”`,
    );
    const files = [...message.attachments.map(({ title }) => title), ...picturesNamed(message)]
      .map((name) => `\n- ${name}`)
      .join('');
    const attached = files === '' ? '' : `\n\nAttached:\n${files}`;
    const sources = citations.length === 0 ? '' : `\n\nSources:\n\n${citations.join('\n')}`;
    return `## ${speaker}, ${message.created_at}\n\n${message.content}${attached}${endLine(message)}${sources}\n`;
  });
  return [head, ...parts].join('\n');
};

const MAX_TITLE = 60;

/** The title of a conversation without one: its first message, cut at a word, on one line. */
export const titleFrom = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= MAX_TITLE) return line;
  const letters = [...line];
  if (letters.length <= MAX_TITLE) return line;
  const cut = letters.slice(0, MAX_TITLE).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > 20 ? cut.slice(0, space) : cut).trimEnd()}…`;
};
