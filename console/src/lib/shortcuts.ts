import { useEffect, useRef, useSyncExternalStore } from 'react';

/**
 * Shortcuts of a single key. They work where nothing is typed, and can be switched off: people who speak to their computer
 * would set them off by a word (WCAG 2.2, 2.1.4).
 */

const KEY = 'pentarch.single-keys';
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const read = (): boolean => localStorage.getItem(KEY) !== 'off';

export const setSingleKeys = (on: boolean): void => {
  if (on) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
  for (const listener of listeners) listener();
};
export const useSingleKeys = (): boolean => useSyncExternalStore(subscribe, read);

const TAKEN =
  'input, textarea, select, [contenteditable], [role="dialog"], [role="alertdialog"], [role="menu"]';

/** `key` as in KeyboardEvent.key: `?`, `/`, `n`. */
export const useShortcut = (key: string, run: () => void): void => {
  const on = useSingleKeys();
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!on) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      if (event.target instanceof Element && event.target.closest(TAKEN) !== null) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [key, on]);
};

/** The list of them, opened by key or from the account menu. */
let shown = false;
const told = new Set<() => void>();
export const showShortcuts = (open: boolean): void => {
  shown = open;
  for (const listener of told) listener();
};
export const useShortcutsShown = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      told.add(listener);
      return () => told.delete(listener);
    },
    () => shown,
  );
