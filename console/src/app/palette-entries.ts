import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  Bot,
  CornerDownRight,
  FileText,
  Keyboard,
  LogOut,
  type LucideIcon,
  MessageSquare,
  Monitor,
  Moon,
  Sun,
} from 'lucide-react';
import { useApi } from '../lib/api.ts';
import { mayOpen, placesOf } from '../lib/feature.ts';
import { useMay, useMe } from '../lib/me.ts';
import { showShortcuts } from '../lib/shortcuts.ts';
import { setTheme } from '../lib/theme.ts';
import { FEATURES } from '../routes.ts';
import { matches } from './palette-match.ts';
import { useSession } from './session-context.ts';

/** What the palette offers for what was typed. */

export interface Entry {
  id: string;
  label: string;
  /** Beside the label: where it is, or what it is. */
  hint?: string;
  icon: LucideIcon;
  /** Found by these words too. */
  words?: string;
  go: { to: string; search?: Readonly<Record<string, string>> } | (() => void);
}
export interface EntryGroup {
  value: string;
  items: readonly Entry[];
}

/** Of the lists that the server searches. */
const FOUND = 6;

const usePages = (): readonly Entry[] => {
  const { permissions } = useMe();
  return FEATURES.filter((feature) => mayOpen(feature, permissions)).flatMap((feature) => [
    {
      id: feature.id,
      label: feature.label,
      icon: feature.icon,
      go: { to: feature.path },
    },
    ...placesOf(feature, permissions).map(({ label, path, search, words = '' }) => ({
      id: `${feature.id} ${label}`,
      label,
      hint: feature.label,
      icon: CornerDownRight,
      words: `${feature.label} ${words}`,
      go: { to: path, search },
    })),
  ]);
};

const useActions = (): readonly Entry[] => {
  const session = useSession();
  return [
    { id: 'light', label: 'Light theme', icon: Sun, words: 'appearance', go: () => setTheme('light') },
    { id: 'dark', label: 'Dark theme', icon: Moon, words: 'appearance', go: () => setTheme('dark') },
    {
      id: 'system',
      label: 'Theme of the system',
      icon: Monitor,
      words: 'appearance',
      go: () => setTheme('system'),
    },
    {
      id: 'keys',
      label: 'Keyboard shortcuts',
      icon: Keyboard,
      words: 'help keys',
      go: () => showShortcuts(true),
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      icon: LogOut,
      words: 'log out leave',
      go: () => void session.signOut(),
    },
  ];
};

const useAgents = (): readonly Entry[] => {
  const api = useApi();
  const mayChat = useMay('chat:write');
  const mayRead = useMay('agents:read');
  const agents = useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => api.agents.list({ limit: 100 }, { signal }),
    enabled: mayRead,
  });
  return (agents.data ?? []).map(({ id, name, domain }) => ({
    id: `agent ${id}`,
    label: mayChat ? `Ask ${name}` : name,
    hint: domain,
    icon: Bot,
    go: mayChat ? { to: '/chat', search: { agent: id } } : { to: '/agents', search: { agent: id } },
  }));
};

const useConversationsFound = (q: string) => {
  const api = useApi();
  const found = useQuery({
    queryKey: ['chat', 'palette', q],
    queryFn: ({ signal }) => api.conversations.list({ limit: FOUND, ...(q === '' ? {} : { q }) }, { signal }),
    enabled: useMay('conversations:read'),
    placeholderData: keepPreviousData,
  });
  const items: readonly Entry[] = (found.data?.items ?? []).map(({ id, title }) => ({
    id: `conversation ${id}`,
    label: title ?? 'Untitled',
    icon: MessageSquare,
    go: { to: '/chat', search: { c: id } },
  }));
  return { items, busy: found.isFetching, error: found.error };
};

const useDocumentsFound = (q: string) => {
  const api = useApi();
  const mayRead = useMay('knowledge:read');
  const found = useQuery({
    queryKey: ['knowledge', 'palette', q],
    queryFn: ({ signal }) => api.knowledge.listDocuments({ limit: FOUND, q }, { signal }),
    enabled: mayRead && q !== '',
    placeholderData: keepPreviousData,
  });
  const items: readonly Entry[] = (q === '' ? [] : (found.data?.items ?? [])).map(({ id, title }) => ({
    id: `document ${id}`,
    label: title,
    icon: FileText,
    go: { to: `/knowledge/${id}` },
  }));
  return { items, busy: found.isFetching, error: found.error };
};

/** `q` is asked of the server, `typed` is held against what is here already. */
export const usePaletteEntries = (typed: string, q: string) => {
  const pages = usePages();
  const actions = useActions();
  const agents = useAgents();
  const conversations = useConversationsFound(q);
  const documents = useDocumentsFound(q);
  const here = (list: readonly Entry[]): readonly Entry[] =>
    list.filter(({ label, hint = '', words = '' }) => matches(typed, `${label} ${hint} ${words}`));
  const groups: readonly EntryGroup[] = [
    { value: 'Pages', items: here(typed === '' ? pages.filter(({ hint }) => hint === undefined) : pages) },
    { value: 'Agents', items: typed === '' ? [] : here(agents) },
    { value: 'Conversations', items: conversations.items },
    { value: 'Documents', items: documents.items },
    { value: 'Actions', items: here(actions) },
  ];
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    busy: conversations.busy || documents.busy,
    error: conversations.error ?? documents.error,
  };
};
