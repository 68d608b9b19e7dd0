import { useSyncExternalStore } from 'react';

/**
 * Notifications of the browser beside the page, where the person wants them on this computer. `blocked`: the browser was told to
 * refuse them; `unsupported`: it has none, or the address is no secure one.
 */
export type DesktopNotices = 'on' | 'off' | 'blocked' | 'unsupported';

const KEY = 'pentarch.desktop-notices';
const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};

const read = (): DesktopNotices => {
  if (!('Notification' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on' ? 'on' : 'off';
};

/** Asks the browser, which asks the person, where that has not been decided. */
export const setDesktopNotices = async (on: boolean): Promise<void> => {
  if (!on) localStorage.removeItem(KEY);
  else if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(KEY, 'on');
  tell();
};

export const useDesktopNotices = (): DesktopNotices =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    addEventListener('storage', listener);
    return () => {
      listeners.delete(listener);
      removeEventListener('storage', listener);
    };
  }, read);
