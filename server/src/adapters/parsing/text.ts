import type { DocumentBlock } from '../../kernel/parser.ts';
import { block } from './blocks.ts';

/** Paragraphs are what blank lines part. */
export function parseText(text: string): DocumentBlock[] {
  return text.split(/\n[^\S\n]*(?:\n[^\S\n]*)+/).map((paragraph) => block('text', paragraph));
}
