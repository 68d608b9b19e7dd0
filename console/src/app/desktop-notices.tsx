import { useNavigate } from '@tanstack/react-router';
import type { LiveEvent } from 'pentarch-sdk';
import { useEffect, useRef } from 'react';
import { useDesktopNotices } from '../lib/desktop-notices.ts';
import { useLiveEvents } from '../lib/live.ts';
import { useMay } from '../lib/me.ts';
import { noticeLinkOf } from '../lib/notice-link.ts';

interface Told {
  id: string;
  title: string;
  body: string;
  read: boolean;
  data: Record<string, unknown>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const toldOf = ({ payload }: LiveEvent): Told | null => {
  if (!isRecord(payload)) return null;
  const { id, title, body, read, data } = payload;
  if (typeof id !== 'string' || typeof title !== 'string') return null;
  return {
    id,
    title,
    body: typeof body === 'string' ? body : '',
    read: read === true,
    data: isRecord(data) ? data : {},
  };
};

/** A new notification is shown by the browser while nobody looks at the page; it goes when it is read, here or elsewhere. */
const Shown = () => {
  const navigate = useNavigate();
  const open = useRef(new Map<string, Notification>());
  useEffect(() => {
    const shown = open.current;
    return () => {
      for (const one of shown.values()) one.close();
      shown.clear();
    };
  }, []);
  useLiveEvents(['notification'], (event) => {
    const told = toldOf(event);
    if (told === null) return;
    if (told.read) {
      open.current.get(told.id)?.close();
      open.current.delete(told.id);
      return;
    }
    if (document.visibilityState === 'visible' && document.hasFocus()) return;
    // The tag is the same in each tab: one notification is shown once.
    const shown = new Notification(told.title, { body: told.body, tag: told.id, icon: '/icon.svg' });
    open.current.set(told.id, shown);
    shown.onclose = () => open.current.delete(told.id);
    shown.onclick = () => {
      window.focus();
      shown.close();
      const link = noticeLinkOf(told) ?? { to: '/settings', search: { tab: 'inbox' } };
      void navigate({ to: link.to, search: { ...link.search } });
    };
  });
  return null;
};

export const DesktopNotices = () => {
  const may = useMay('notifications:read');
  return useDesktopNotices() === 'on' && may ? <Shown /> : null;
};
