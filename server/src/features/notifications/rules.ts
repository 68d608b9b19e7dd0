import type { PlatformEvent } from '../../kernel/events.ts';
import type { Category, Channels, Level } from './schema.ts';

/** What a person is told, and of which events (the inbox is for what concerns somebody; the rest is on the socket). */
export interface Notice {
  category: Category;
  level: Level;
  title: string;
  body: string;
  data: Record<string, unknown>;
  /** Names what is told: nobody is told of it twice, whatever number of events it makes. Absent: the event itself. */
  key?: string;
}

/** Who is told of an event besides its owner. */
export type Audience =
  /** Everybody of the tenant who has the permission. */
  | { permission: string }
  /** The people who hold a seat of the Pentarchy. */
  | 'seat_holders';

export const MAX_TITLE_CHARACTERS = 200;
export const MAX_BODY_CHARACTERS = 4_000;

export const DEFAULT_CHANNELS: Readonly<Record<Category, Channels>> = {
  tasks: { inbox: true, email: false, webhook: false },
  proposals: { inbox: true, email: true, webhook: false },
  costs: { inbox: true, email: true, webhook: false },
  documents: { inbox: false, email: false, webhook: false },
  agents: { inbox: true, email: false, webhook: false },
  system: { inbox: true, email: true, webhook: false },
};

/** What is read as a dot between two names, as letters, sign or in brackets. */
const DOTS =
  /[\u00b7\u0701\u0702\u06d4\u2022\u2027\u2219\u22c5\u3002\u30fb\ua4f8\ua60e]|%2e|&#46;|&#x2e;|&period;| ?[([{<] ?(?:\.|dot|punkt|point|punto|ponto) ?[)\]}>] ?| dot /giu;
const COLONS = /[\u02d0\u2236\ua789]|[([{<] ?: ?[)\]}>]|%3a|&#58;|&colon;/giu;
const SLASHES = /[\u2044\u2215\u29f8\\]|%2f|&#47;|&sol;/giu;
const INVISIBLE = /\p{Cf}|\p{Variation_Selector}|[\u115f\u1160\u3164]|\u034f/gu;

/** As it is read: other forms of letters and signs are the plain ones, what is not seen is gone, and no space stands before a dot. */
const asRead = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/\s/g, ' ')
    .replace(DOTS, '.')
    .replace(COLONS, ':')
    .replace(SLASHES, '/')
    .replace(/ \. ?/g, '.')
    .replaceAll(': //', '://');

/** A name with a dot and a known kind of ending is made a link by mail programs and phones; people type in what looks like one. */
const LINKS: readonly RegExp[] = [
  /:\/|\/\/|\bwww\b|\bh[tx*]{2}ps?\b|\b(?:mailto|tel|javascript|data):|\]\(|\]:|\bhref\b|\bxn--|\blocalhost\b/iu,
  /[^\s.]\.\p{L}[\p{L}\p{M}\p{N}-]/u,
  // Addresses of machines: 192.0.2.1, 127.1:80, 0x7f000001, ::1, [2001:db8::1], and names with a port.
  /\d\.\d{1,3}\.\d{1,3}\.\d|\d\.\d{1,8}[:/]\d|\b0x[\da-f]{6}|::[\da-f]|[\da-f]::|(?:[\da-f]{1,4}:){4}|\p{L}[\p{N}-]?:\d{3}|\b\d{8,10}[:/]/iu,
  /[\p{L}\p{N}]@[\p{L}\p{N}[]|[([{<] ?at ?[)\]}>]/iu,
];

/** Whether a reader could be led somewhere by the text. */
export const hasLink = (text: string): boolean => {
  const read = asRead(text);
  return LINKS.some((link) => link.test(read));
};

/** Code points, so that no character is cut in two. */
export const cut = (text: string, characters: number): string => {
  const points = [...text];
  return points.length <= characters ? text : `${points.slice(0, characters - 1).join('')}…`;
};

const text = (data: Record<string, unknown>, name: string): string => {
  const value = data[name];
  return typeof value === 'string' ? value : '';
};

const ids = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).filter(([name]) => name === 'id' || name.endsWith('_id')));

const notice = (
  event: PlatformEvent,
  category: Category,
  level: Level,
  title: string,
  body: string,
): Notice => ({
  category,
  level,
  title: cut(title, MAX_TITLE_CHARACTERS),
  body: cut(body, MAX_BODY_CHARACTERS),
  data: { event: event.type, ...ids(event.data) },
});

/** What is told of a proposal is told by its id and state. */
const keyOf = (id: string, state: string): string => `${id}:${state}`;

const proposalNotice = (event: PlatformEvent): Notice | null => {
  const { data } = event;
  const status = text(data, 'status');
  const action = text(data, 'action');
  const decided = status !== 'voting' && status !== 'awaiting_human';
  const yours = data.asks_requester === true;
  // One made and approved at once is no news to who made it.
  if (status === '' || status === 'voting' || (decided && event.type === 'proposal.created')) return null;
  return {
    ...notice(
      event,
      'proposals',
      decided ? 'info' : 'warning',
      decided ? `Proposal ${status}: ${action}` : `${yours ? 'Your answer' : 'Decision'} needed: ${action}`,
      text(data, 'description'),
    ),
    // Each vote and the end of the execution publish the proposal again.
    key: keyOf(text(data, 'id'), `${status}${yours ? ':yours' : ''}`),
  };
};

/** Keys of what is over with an event: the vote, or the decision, that was asked for. */
export const closedBy = ({ type, data }: PlatformEvent): readonly string[] => {
  const status = text(data, 'status');
  if (!type.startsWith('proposal.') || status === '' || status === 'voting') return [];
  const asked =
    status === 'awaiting_human' ? ['voting'] : ['voting', 'awaiting_human', 'awaiting_human:yours'];
  return asked.map((state) => keyOf(text(data, 'id'), state));
};

/** For who asked for what others decide: that it waits, and not that they should decide it. */
export const waitingNotice = (event: PlatformEvent, asked: Notice): Notice => ({
  ...asked,
  level: 'info',
  title: cut(`Waits for a decision: ${text(event.data, 'action')}`, MAX_TITLE_CHARACTERS),
});

/** For who holds a seat: a proposal on which they are asked to vote. */
export const seatNotice = (event: PlatformEvent): Notice => ({
  ...notice(
    event,
    'proposals',
    'warning',
    `Vote needed: ${text(event.data, 'action')}`,
    text(event.data, 'description'),
  ),
  key: keyOf(text(event.data, 'id'), 'voting'),
});

/** Null: the owner alone. */
export const audienceOf = (event: PlatformEvent): Audience | null => {
  const { type, data } = event;
  if (type.startsWith('proposal.')) {
    if (data.status === 'awaiting_human')
      return data.asks_requester === true ? null : { permission: 'governance:vote' };
    return type === 'proposal.created' && data.status === 'voting' ? 'seat_holders' : null;
  }
  // Its maker may be the one who cannot act.
  if (type === 'webhook.disabled' && data.reason === 'account_inactive')
    return { permission: 'webhooks:manage' };
  // Limits of the tenant and of agents are nobody's own.
  if (type === 'cost.alert' || type === 'cost.limit_reached')
    return event.userId === null ? { permission: 'costs:manage' } : null;
  return null;
};

const whyOff = (reason: string, url: string): string => {
  switch (reason) {
    case 'gone':
      return `${url} answered that it wants no more.`;
    case 'key_deleted':
      return `The key that ${url} was told by has been deleted. Whoever switches it on again stands in for it.`;
    case 'account_inactive':
      return `The account that ${url} was told by may not act any more. Whoever switches it on again stands in for it.`;
    default:
      return `Nothing could be delivered to ${url} for five days.`;
  }
};

/** The notice that an event makes for its owner; null for events that nobody need be told of. */
export const noticeOf = (event: PlatformEvent): Notice | null => {
  const { data } = event;
  switch (event.type) {
    case 'task.completed':
      return notice(event, 'tasks', 'info', `Task done: ${text(data, 'description')}`, '');
    case 'task.failed': {
      const { error } = data;
      const why =
        typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
      return notice(event, 'tasks', 'warning', `Task failed: ${text(data, 'description')}`, why);
    }
    case 'proposal.created':
    case 'proposal.updated':
    case 'proposal.decided':
      return proposalNotice(event);
    case 'cost.limit_reached':
      return notice(event, 'costs', 'critical', 'Costs: a call was refused', text(data, 'message'));
    case 'cost.alert':
      return notice(
        event,
        'costs',
        data.alert_level === 'critical' || data.level === 'critical' ? 'critical' : 'warning',
        `Costs: ${text(data, 'alert_level') || text(data, 'level') || 'a limit comes near'}`,
        text(data, 'message'),
      );
    case 'document.indexed':
      return notice(event, 'documents', 'info', `Document ready: ${text(data, 'title')}`, '');
    case 'document.failed':
      return notice(
        event,
        'documents',
        'warning',
        `Document could not be read: ${text(data, 'title')}`,
        text(data, 'error'),
      );
    case 'webhook.disabled':
      return notice(
        event,
        'system',
        'warning',
        'A webhook was switched off',
        whyOff(text(data, 'reason'), text(data, 'url')),
      );
    default:
      return null;
  }
};
