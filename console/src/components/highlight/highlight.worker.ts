import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from '@shikijs/core';
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import { GRAMMARS } from './grammars.ts';
import { type HighlightInput, type HighlightOutput, isKind, type Piece } from './kinds.ts';

/**
 * Code into coloured pieces, apart from the page's own thread: an expression of a grammar that runs away on hostile code stops
 * nothing there, and is ended with this worker.
 */

/** Colours as names: what they look like is for the stylesheet. */
const THEME = createCssVariablesTheme({ name: 'kinds', variablePrefix: '--' });
const MAX_LINE = 2_000;

let made: Promise<HighlighterCore> | undefined;
const highlighter = (): Promise<HighlighterCore> => {
  made ??= createHighlighterCore({
    themes: [THEME],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  return made;
};

const pieceOf = (text: string, colour: string | undefined): Piece => {
  const name = /^var\(--token-([a-z-]+)\)$/.exec(colour ?? '')?.[1];
  return [text, isKind(name) ? name : null];
};

const highlight = async ({ code, language }: HighlightInput): Promise<Piece[][]> => {
  const shiki = await highlighter();
  await shiki.loadLanguage(GRAMMARS[language]);
  const { tokens } = shiki.codeToTokens(code, {
    lang: language,
    theme: 'kinds',
    tokenizeMaxLineLength: MAX_LINE,
  });
  return tokens.map((line) => line.map((token) => pieceOf(token.content, token.color)));
};

const answer = (output: HighlightOutput): void => self.postMessage(output);

self.addEventListener('message', ({ data }: MessageEvent<HighlightInput>) => {
  highlight(data).then(
    (lines) => answer({ lines }),
    () => answer({ lines: null }),
  );
});
