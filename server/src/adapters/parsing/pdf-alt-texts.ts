import { altText } from './alt-texts.ts';
import { LIMITS } from './fault.ts';
import type { PdfPage } from './pdf-open.ts';

/** What the structure of a page says of its pictures and formulas, for those who do not see them; each once. */
export async function altTextsOf(page: PdfPage): Promise<string[]> {
  const found = new Set<string>();
  const walk = (node: unknown, depth: number): void => {
    if (depth > LIMITS.depth || typeof node !== 'object' || node === null) return;
    if ('alt' in node && typeof node.alt === 'string') found.add(altText(node.alt));
    const children = 'children' in node && Array.isArray(node.children) ? (node.children as unknown[]) : [];
    for (const child of children) walk(child, depth + 1);
  };
  const tree: unknown = await page.getStructTree().catch((error: unknown) => {
    if (error instanceof RangeError) throw error;
    return null;
  });
  walk(tree, 0);
  found.delete('');
  return [...found];
}
