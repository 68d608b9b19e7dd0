import { Plug } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

/** At /tools: /mcp is where the platform itself is an MCP server. */
export const mcp: Feature = {
  id: 'mcp',
  label: 'MCP',
  icon: Plug,
  path: '/tools',
  anyOf: ['mcp:read'],
  pages: [
    { path: '/tools', title: 'MCP servers', load: () => import('./mcp-page.tsx') },
    { path: '/tools/$server', title: 'MCP server', load: () => import('./server-page.tsx') },
  ],
};
