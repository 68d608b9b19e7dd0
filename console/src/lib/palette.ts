import { useEffect, useSyncExternalStore } from 'react';

/** Whether the palette is open: by Ctrl K (⌘ K), wherever the focus is, or by its button. */

let shown = false;
const listeners = new Set<() => void>();

export const showPalette = (open: boolean): void => {
  shown = open;
  for (const listener of listeners) listener();
};

export const usePaletteShown = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );

/** As the keyboard of this computer has it. */
export const PALETTE_KEYS: readonly string[] = /Mac|iPhone|iPad/.test(navigator.platform)
  ? ['⌘', 'K']
  : ['Ctrl', 'K'];

export const usePaletteKey = (): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isPalette = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!isPalette || event.altKey || event.shiftKey || event.defaultPrevented) return;
      // Browsers would go to their address bar.
      event.preventDefault();
      showPalette(!shown);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};
