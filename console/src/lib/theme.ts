import { useSyncExternalStore } from 'react';

/** Light, dark or as the system has it. `public/theme.js` sets it before the first paint. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'pentarch.theme';
const listeners = new Set<() => void>();

const read = (): Theme => {
  const theme = document.documentElement.dataset.theme;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
};

export const setTheme = (theme: Theme): void => {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEY);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(KEY, theme);
  }
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener('change', listener);
  };
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, read);
/** For what draws on a canvas and must draw anew. */
export const useIsDark = (): boolean =>
  useSyncExternalStore(subscribe, () => {
    const theme = read();
    return theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  });
