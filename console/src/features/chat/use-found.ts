import type { Message } from 'pentarch-sdk';
import { type RefObject, useEffect, useRef } from 'react';

interface Looking {
  /** There are no earlier messages that could be read. */
  isWhole: boolean;
  /** Some are being read. */
  reading: boolean;
  onEarlier: () => void;
  onFound: () => void;
}

/**
 * Brings the message that was looked for into sight and gives it the focus, once for each; earlier messages are read until it is
 * there. Returns the id of the message to be marked.
 */
export const useFound = (
  scroller: RefObject<HTMLElement | null>,
  wanted: string | undefined,
  messages: readonly Message[],
  looking: Looking,
): string | null => {
  const shown = useRef<string | undefined>(undefined);
  const latest = useRef(looking);
  useEffect(() => {
    latest.current = looking;
  });
  const isThere = wanted !== undefined && messages.some((one) => one.id === wanted);
  const { isWhole, reading } = looking;
  const count = messages.length;
  useEffect(() => {
    if (wanted === undefined) shown.current = undefined;
    if (wanted === undefined || shown.current === wanted) return;
    if (!isThere) {
      if (count > 0 && !isWhole && !reading) latest.current.onEarlier();
      return;
    }
    const element = scroller.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(wanted)}"]`);
    if (element == null) return;
    shown.current = wanted;
    latest.current.onFound();
    element.scrollIntoView({ block: 'center' });
    element.focus({ preventScroll: true });
  }, [wanted, isThere, isWhole, reading, count, scroller]);
  return isThere ? wanted : null;
};
