import { Library } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

export const knowledge: Feature = {
  id: 'knowledge',
  label: 'Knowledge',
  icon: Library,
  path: '/knowledge',
  anyOf: ['knowledge:read'],
  primary: true,
  pages: [
    { path: '/knowledge', title: 'Knowledge', load: () => import('./knowledge-page.tsx') },
    { path: '/knowledge/$documentId', title: 'Document', load: () => import('./document-page.tsx') },
  ],
  places: [
    {
      label: 'Search passages',
      path: '/knowledge',
      search: { tab: 'search' },
      anyOf: [],
      words: 'find documents try',
    },
  ],
};
