import type { KeyboardEvent } from 'react';

/** Fingers on a screen, whose keyboard lies over half of the page and has no Shift beside its Enter. */
export const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

/** In a field of several lines: Enter sends, but with Shift, while letters are being put together, and on a touch screen. */
export const sendsOnEnter = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && !isTouch();
