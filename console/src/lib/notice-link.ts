import type { Notification } from 'pentarch-sdk';

/** Where what a notification tells of stands; null where it is nowhere. */
export interface NoticeLink {
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

const place = (to: string, search: Readonly<Record<string, string>> = {}): NoticeLink => ({ to, search });

export const noticeLinkOf = ({ data }: Pick<Notification, 'data'>): NoticeLink | null => {
  const text = (name: string): string => {
    const value = data[name];
    return typeof value === 'string' ? value : '';
  };
  const [about] = text('event').split('.');
  switch (about) {
    case 'proposal':
      return place('/governance', { proposal: text('id') });
    case 'task':
      return place('/tasks', { task: text('task_id') });
    case 'cost':
      return place('/costs');
    case 'document':
      return text('document_id') === '' ? place('/knowledge') : place(`/knowledge/${text('document_id')}`);
    case 'webhook':
      return place('/admin', { tab: 'webhooks' });
    default:
      return text('conversation_id') === '' ? null : place('/chat', { c: text('conversation_id') });
  }
};
