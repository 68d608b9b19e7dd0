import { MessageSquare } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

export const chat: Feature = {
  id: 'chat',
  label: 'Chat',
  icon: MessageSquare,
  path: '/chat',
  anyOf: ['conversations:read'],
  primary: true,
  pages: [{ path: '/chat', title: 'Chat', load: () => import('./chat-page.tsx') }],
};
