import type { DomElement, DomNode } from './dom-types.ts';
import { fail, LIMITS } from './fault.ts';

/** Formulas of web pages and books (MathML Core) in one line: the author's own TeX where it is beside them. */

const isElement = (node: DomNode): node is DomElement => node.nodeType === 1;
const nameOf = (node: DomElement): string => node.localName.replace(/^\w+:/, '');
const grouped = (text: string): string => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);

export function mathText(math: DomElement): string {
  const tex = Array.from(math.querySelectorAll('annotation')).find((a) =>
    /tex/i.test(a.getAttribute('encoding') ?? ''),
  );
  const said = (tex?.textContent ?? math.getAttribute('alttext') ?? '').replace(/\s+/g, ' ').trim();
  return said === '' ? linear(math, 0) : said;
}

function linear(node: DomNode, depth: number): string {
  if (depth > LIMITS.depth) fail('broken', 'the document is nested too deeply');
  if (node.nodeType === 3) return (node.nodeValue ?? '').trim();
  if (!isElement(node)) return '';
  const parts = Array.from(node.childNodes)
    .filter((child) => isElement(child) || (child.nodeValue ?? '').trim() !== '')
    .map((child) => linear(child, depth + 1));
  const [first = '', second = '', third = ''] = parts;
  switch (nameOf(node)) {
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'mfrac':
      return `${grouped(first)}/${grouped(second)}`;
    case 'msqrt':
      return `√(${parts.join('')})`;
    case 'mroot':
      return `root(${second}, ${first})`;
    case 'msup':
    case 'mover':
      return `${first}^${grouped(second)}`;
    case 'msub':
    case 'munder':
      return `${first}_${grouped(second)}`;
    case 'msubsup':
    case 'munderover':
      return `${first}_${grouped(second)}^${grouped(third)}`;
    case 'mtr':
      return parts.join(' ');
    case 'mtable':
      return parts.join('; ');
    case 'mtext':
      return ` ${parts.join('')} `;
    default:
      return parts.join('');
  }
}
