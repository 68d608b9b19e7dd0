import { useState } from 'react';

/**
 * A short text that somebody writes beside something of the server's (a comment, a reason), kept in this tab until it has been
 * taken: over a reload and the end of the session. '' takes it away.
 */
const keyOf = (about: string): string => `pentarch.text.${about}`;

const read = (about: string): string => {
  try {
    return sessionStorage.getItem(keyOf(about)) ?? '';
  } catch {
    return '';
  }
};

export const useKeptText = (about: string): [text: string, setText: (text: string) => void] => {
  const [text, setText] = useState(() => read(about));
  return [
    text,
    (next) => {
      setText(next);
      try {
        if (next === '') sessionStorage.removeItem(keyOf(about));
        else sessionStorage.setItem(keyOf(about), next);
      } catch {
        // The tab's storage is full or closed: what is written stays on the page alone.
      }
    },
  ];
};

/** It has been taken where nobody watches the field any more. */
export const forgetText = (about: string): void => {
  try {
    sessionStorage.removeItem(keyOf(about));
  } catch {
    // Closed storage holds nothing.
  }
};
