import { type RefObject, useEffect } from 'react';

/** Tells how high the foot of the page is, so that messages that float over the page stand above it. */
export const useFoot = (foot: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const element = foot.current;
    if (element === null) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty('--foot', `${element.offsetHeight}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty('--foot');
    };
  }, [foot]);
};
