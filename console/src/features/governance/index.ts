import { Scale } from 'lucide-react';
import { useWaitingDecisions } from '../../lib/decisions.ts';
import type { Feature } from '../../lib/feature.ts';

export const governance: Feature = {
  id: 'governance',
  label: 'Governance',
  icon: Scale,
  path: '/governance',
  anyOf: ['governance:read'],
  primary: true,
  waiting: {
    use: useWaitingDecisions,
    words: (count) => `${count} ${count === 1 ? 'waits' : 'wait'} for you`,
  },
  pages: [{ path: '/governance', title: 'Governance', load: () => import('./governance-page.tsx') }],
  places: [
    {
      label: 'Decisions that need you',
      path: '/governance',
      search: { view: 'needs_you' },
      anyOf: [],
      words: 'approve approvals proposals',
    },
    {
      label: 'History of decisions',
      path: '/governance',
      search: { view: 'history' },
      anyOf: [],
      words: 'votes proposals',
    },
  ],
};
