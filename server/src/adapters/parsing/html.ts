import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { DocumentBlock, LeftOutKind } from '../../kernel/parser.ts';
import { withoutAltTexts } from './alt-texts.ts';
import { domBlocks, parseDom } from './dom.ts';
import type { DomDocument, DomElement } from './dom-types.ts';
import { checkDepth } from './html-depth.ts';
import { hiddenSelectors, isHiddenStyle } from './html-hidden.ts';
import { streamHtml } from './html-stream.ts';
import type { LeftOutCount } from './left-out.ts';

/** Above this the article search costs more than the boilerplate that it drops. */
const READABILITY_MAX_UNITS = 300_000;
/** Above this the page's tree takes too much memory. */
const TREE_MAX_UNITS = 1_000_000;
/** An article that has less than this of the page's text has lost content, not boilerplate. */
const MIN_ARTICLE_SHARE = 0.5;

export function parseHtml(
  source: string,
  leftOut: LeftOutCount,
): { title: string | null; blocks: DocumentBlock[] } {
  checkDepth(source);
  if (source.length > TREE_MAX_UNITS) return streamLarge(source, leftOut);
  const document = parseDom(source);
  dropHidden(document, leftOut);
  const title = titleOf(document);
  // Not `body`: a document without one gets an empty one.
  const body = document.documentElement;
  if (!body) return { title, blocks: [] };
  for (const frame of list(body, 'nav, [role=navigation], [role=banner], body > footer, [role=search]'))
    drop(frame, 'navigation', leftOut);
  const whole = domBlocks(body);
  const article = source.length <= READABILITY_MAX_UNITS ? articleBlocks(document) : null;
  if (!article) return { title, blocks: whole };
  // Only as a filter, since the article search rewrites headings and drops pictures.
  const key = ({ text }: DocumentBlock): string => withoutAltTexts(text) || text;
  const texts = new Set(article.map(key));
  const kept = whole.filter((b) => texts.has(key(b)) || (b.kind === 'heading' && b.level === 1));
  if (units(kept) < units(whole) * MIN_ARTICLE_SHARE) return { title, blocks: whole };
  leftOut.add('navigation', whole.length - kept.length);
  return { title, blocks: kept };
}

function streamLarge(
  source: string,
  leftOut: LeftOutCount,
): { title: string | null; blocks: DocumentBlock[] } {
  const start = source.slice(0, 200_000);
  const sheets = [...start.matchAll(/<style\b[^>]*>([^<]*)</gi)].map((m) => m[1] ?? '');
  const title = /<title\b[^>]*>([^<]{1,500})</i.exec(start)?.[1] ?? '';
  const blocks = streamHtml(source, sheets.flatMap(hiddenSelectors), leftOut);
  return { title: parseDom(title).body?.textContent?.trim() || null, blocks };
}

const units = (blocks: readonly DocumentBlock[]): number => blocks.reduce((sum, b) => sum + b.text.length, 0);
const list = (root: DomElement, selector: string): DomElement[] =>
  Array.from(root.querySelectorAll(selector));

function titleOf(document: DomDocument): string | null {
  const heading = document.querySelector('h1')?.textContent ?? '';
  return (
    [document.title ?? '', heading].map((t) => t.replace(/\s+/g, ' ').trim()).find((t) => t !== '') ?? null
  );
}

/** Readability changes its document, and wants a real one: it gets a copy. */
function articleBlocks(document: DomDocument): DocumentBlock[] | null {
  const markup = (document.documentElement as unknown as { outerHTML: string } | null)?.outerHTML ?? '';
  try {
    const copy: unknown = parseHTML(markup).document;
    const article = new Readability(copy as ConstructorParameters<typeof Readability>[0], {
      maxElemsToParse: 50_000,
      keepClasses: false,
    }).parse();
    const body = article?.content ? parseDom(article.content).body : null;
    return body && domBlocks(body);
  } catch {
    return null;
  }
}

/** What is empty is not missed. */
function drop(element: DomElement, what: LeftOutKind, leftOut: LeftOutCount): void {
  if ((element.textContent ?? '').trim() !== '') leftOut.add(what);
  element.remove();
}

/** Text that no reader of the page sees must not reach a model either. */
export function dropHidden(document: DomDocument, leftOut: LeftOutCount): void {
  const rules = list(document, 'style').map((style) => style.textContent ?? '');
  for (const element of list(document, 'script, style, noscript, template, input')) element.remove();
  for (const element of list(document, '[hidden], [aria-hidden=true]')) drop(element, 'hidden_text', leftOut);
  for (const element of list(document, '[style]')) {
    if (isHiddenStyle(element.getAttribute('style') ?? '')) drop(element, 'hidden_text', leftOut);
  }
  for (const selector of rules.flatMap(hiddenSelectors)) {
    try {
      for (const element of list(document, selector)) {
        if (element.localName !== 'body' && element.localName !== 'html')
          drop(element, 'hidden_text', leftOut);
      }
    } catch {
      // A selector that the engine does not know hides nothing here.
    }
  }
}
