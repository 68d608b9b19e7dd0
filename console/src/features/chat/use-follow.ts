import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const NEAR_PX = 80;
const UP_KEYS: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);

const toEndOf = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight;

/**
 * Keeps the end of a growing thread in sight until somebody looks further up, by wheel, finger, key or bar: that ends it at
 * once, however fast the thread grows, and being at the end again begins it again. `length` changes when there is more to see.
 */
export const useFollow = (scroller: RefObject<HTMLElement | null>, length: string) => {
  const [following, setFollowing] = useState(true);
  const follows = useRef(true);
  /** Where the thread stood when it was last looked at. */
  const last = useRef({ top: 0, height: 0 });
  const follow = useCallback((on: boolean): void => {
    follows.current = on;
    setFollowing(on);
  }, []);

  const toEnd = useCallback((): void => {
    const box = scroller.current;
    if (box === null || !follows.current) return;
    const { top, height } = last.current;
    // Moved since, and not by a thread that has become shorter: somebody reads further up.
    if (box.scrollTop < top - 1 && box.scrollHeight >= height) return follow(false);
    box.scrollTop = box.scrollHeight;
    last.current = { top: box.scrollTop, height: box.scrollHeight };
  }, [scroller, follow]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `length` says that there is more to see
  useLayoutEffect(toEnd, [length, following, toEnd]);

  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const release = (): void => {
      if (box.scrollHeight > box.clientHeight + 1) follow(false);
    };
    const onWheel = ({ deltaY, ctrlKey }: WheelEvent): void => {
      if (deltaY < 0 && !ctrlKey) release();
    };
    let touchedAt = 0;
    const onTouchStart = ({ touches }: TouchEvent): void => {
      touchedAt = touches[0]?.clientY ?? 0;
    };
    const onTouchMove = ({ touches }: TouchEvent): void => {
      if ((touches[0]?.clientY ?? 0) > touchedAt) release();
    };
    const onKey = ({ key, target }: KeyboardEvent): void => {
      const isTyped = target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
      if (UP_KEYS.has(key) && !isTyped) release();
    };
    const onScroll = (): void => {
      const { top, height } = last.current;
      const isUp = box.scrollTop < top - 1 && box.scrollHeight >= height;
      last.current = { top: box.scrollTop, height: box.scrollHeight };
      if (isUp && toEndOf(box) > 1) follow(false);
      else if (!isUp && toEndOf(box) < NEAR_PX && box.scrollTop > top) follow(true);
    };
    // What grows without a new message (an approval that is read, seats that fill) is followed as well.
    const observer = new MutationObserver(toEnd);
    observer.observe(box, { childList: true, subtree: true, characterData: true });
    box.addEventListener('wheel', onWheel, { passive: true });
    box.addEventListener('touchstart', onTouchStart, { passive: true });
    box.addEventListener('touchmove', onTouchMove, { passive: true });
    box.addEventListener('keydown', onKey);
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('wheel', onWheel);
      box.removeEventListener('touchstart', onTouchStart);
      box.removeEventListener('touchmove', onTouchMove);
      box.removeEventListener('keydown', onKey);
      box.removeEventListener('scroll', onScroll);
    };
  }, [scroller, follow, toEnd]);

  /** Where a place of the thread stood before it was changed, so that it stays there. */
  const held = useRef<{ element: Element; top: number } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `length` says that the thread has changed
  useLayoutEffect(() => {
    const box = scroller.current;
    const hold = held.current;
    held.current = null;
    if (box === null || hold === null || !hold.element.isConnected) return;
    box.scrollTop += hold.element.getBoundingClientRect().top - hold.top;
    last.current = { top: box.scrollTop, height: box.scrollHeight };
    if (toEndOf(box) < 1) follow(true);
  }, [length]);

  return {
    following,
    follow,
    /** The element stays where it is when the thread next changes. */
    hold: useCallback(
      (element: Element): void => {
        follow(false);
        held.current = { element, top: element.getBoundingClientRect().top };
      },
      [follow],
    ),
  };
};
