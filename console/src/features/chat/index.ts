import { MessageSquare } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';
import { SHARE_PATH } from '../shares/path.ts';

export const chat: Feature = {
  id: 'chat',
  label: 'Chat',
  icon: MessageSquare,
  path: '/chat',
  anyOf: ['conversations:read'],
  primary: true,
  pages: [
    { path: '/chat', title: 'Chat', load: () => import('./chat-page.tsx') },
    { path: SHARE_PATH, title: 'Shared conversation', load: () => import('../shares/shared-page.tsx') },
  ],
  places: [
    {
      label: 'New conversation',
      path: '/chat',
      search: {},
      anyOf: ['chat:write'],
      words: 'ask message start',
    },
  ],
};
