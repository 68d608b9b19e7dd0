import { own } from '../../kernel/own.ts';

/** Office's equations (ECMA-376 part 1, 22.1) as LaTeX. */
interface MathNode {
  name: string;
  attributes: Record<string, string>;
  children: MathNode[];
  text: string;
}

const GREEK =
  'α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega';
const SIGNS =
  '≤ le ≥ ge ≠ ne ≈ approx ± pm ∓ mp × times ÷ div ⋅ cdot ∙ cdot ∞ infty ∂ partial ∇ nabla ∈ in ∉ notin ⊂ subset ⊆ subseteq ∪ cup ∩ cap → to ⇒ Rightarrow ⇔ Leftrightarrow ← leftarrow ∀ forall ∃ exists ∑ sum ∏ prod ∫ int ∬ iint ∮ oint ∝ propto ≡ equiv ∼ sim … ldots ⋯ cdots √ surd ° circ';
const pairs = (list: string): [string, string][] => {
  const parts = list.split(' ');
  return parts.flatMap((char, i): [string, string][] => (i % 2 === 0 ? [[char, parts[i + 1] ?? '']] : []));
};
const COMMANDS = new Map(pairs(`${GREEK} ${SIGNS}`));
const ACCENTS = new Map(
  pairs(
    '\u0302 hat \u0303 tilde \u0304 bar \u0305 overline \u0307 dot \u0308 ddot \u20d7 vec \u0301 acute \u0300 grave \u0306 breve \u030c check',
  ),
);
const FUNCTIONS = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln lg exp lim max min sup inf det gcd'.split(
    ' ',
  ),
);

const children = (node: MathNode, name: string): MathNode[] => node.children.filter((c) => c.name === name);
const child = (node: MathNode, name: string): MathNode | undefined =>
  node.children.find((c) => c.name === name);
const inside = (node: MathNode, name: string): string => {
  const found = child(node, name);
  return found ? sequence(found) : '';
};
/** A property such as `m:chr`; null where it is not set, '' where it is set to nothing. */
const property = (node: MathNode, group: string, name: string): string | null => {
  const holder = child(node, group);
  const found = holder && child(holder, name);
  return found ? (found.attributes['m:val'] ?? '') : null;
};

/** Commands need a space before a letter that follows. */
const join = (parts: readonly string[]): string =>
  parts.reduce(
    (all, part) => all + (/\\[A-Za-z]+$/.test(all) && /^[A-Za-z]/.test(part) ? ' ' : '') + part,
    '',
  );

const symbols = (text: string): string =>
  join(
    [...text.normalize('NFKC')].map((char) => {
      const command = COMMANDS.get(char);
      if (command) return `\\${command}`;
      return /[#$%&_{}]/.test(char) ? `\\${char}` : char;
    }),
  );

const sequence = (node: MathNode): string => join(node.children.map(toLatex));

const plain = (text: string): string => (FUNCTIONS.has(text.trim()) ? `\\${text.trim()}` : text);

const grouped = (latex: string): string => (/^(.|\\[A-Za-z]+)$/u.test(latex) ? latex : `{${latex}}`);

function fraction(node: MathNode): string {
  const [above, below] = [inside(node, 'm:num'), inside(node, 'm:den')];
  const type = property(node, 'm:fPr', 'm:type');
  if (type === 'lin') return `${above}/${below}`;
  return type === 'noBar' ? `\\genfrac{}{}{0pt}{}{${above}}{${below}}` : `\\frac{${above}}{${below}}`;
}

function fenced(node: MathNode): string {
  const open = property(node, 'm:dPr', 'm:begChr') ?? '(';
  const close = property(node, 'm:dPr', 'm:endChr') ?? ')';
  const between = property(node, 'm:dPr', 'm:sepChr') ?? '|';
  const mark = (char: string) => (char === '' ? '.' : /[{}]/.test(char) ? `\\${char}` : char);
  const content = children(node, 'm:e').map(sequence).join(between);
  const isPlain = /^[()[\]|]$/.test(open) && /^[()[\]|]$/.test(close) && !content.includes('\\');
  return isPlain ? open + content + close : `\\left${mark(open)} ${content} \\right${mark(close)}`;
}

function large(node: MathNode): string {
  const sign = symbols(property(node, 'm:naryPr', 'm:chr') ?? '∫');
  const [below, above] = [inside(node, 'm:sub'), inside(node, 'm:sup')];
  return `${sign}${below ? `_{${below}}` : ''}${above ? `^{${above}}` : ''} ${inside(node, 'm:e')}`;
}

function matrix(node: MathNode): string {
  const rows = children(node, 'm:mr').map((row) => children(row, 'm:e').map(sequence).join(' & '));
  return `\\begin{matrix}${rows.join(' \\\\ ')}\\end{matrix}`;
}

const scripts = (node: MathNode, ...marks: ['m:sub' | 'm:sup', '_' | '^'][]): string =>
  grouped(inside(node, 'm:e')) + marks.map(([name, mark]) => `${mark}{${inside(node, name)}}`).join('');

const WRITERS: Record<string, (node: MathNode) => string> = {
  'm:f': fraction,
  'm:d': fenced,
  'm:nary': large,
  'm:m': matrix,
  'm:sSup': (n) => scripts(n, ['m:sup', '^']),
  'm:sSub': (n) => scripts(n, ['m:sub', '_']),
  'm:sSubSup': (n) => scripts(n, ['m:sub', '_'], ['m:sup', '^']),
  'm:sPre': (n) => `{}_{${inside(n, 'm:sub')}}^{${inside(n, 'm:sup')}}${inside(n, 'm:e')}`,
  'm:rad': (n) => {
    const degree = inside(n, 'm:deg');
    return `\\sqrt${degree ? `[${degree}]` : ''}{${inside(n, 'm:e')}}`;
  },
  'm:func': (n) => `${plain(inside(n, 'm:fName'))} ${inside(n, 'm:e')}`,
  'm:limLow': (n) => `${plain(inside(n, 'm:e'))}_{${inside(n, 'm:lim')}}`,
  'm:limUpp': (n) => `${plain(inside(n, 'm:e'))}^{${inside(n, 'm:lim')}}`,
  'm:acc': (n) =>
    `\\${ACCENTS.get(property(n, 'm:accPr', 'm:chr') ?? '\u0302') ?? 'hat'}{${inside(n, 'm:e')}}`,
  'm:bar': (n) =>
    `\\${property(n, 'm:barPr', 'm:pos') === 'top' ? 'overline' : 'underline'}{${inside(n, 'm:e')}}`,
  'm:eqArr': (n) => children(n, 'm:e').map(sequence).join(' \\\\ '),
};

function toLatex(node: MathNode): string {
  if (node.name === 'm:t' || node.name === 'w:t') return symbols(node.text);
  // Properties hold no content.
  if (/Pr$/.test(node.name) || /^w:(del|moveFrom)$/.test(node.name)) return '';
  return own(WRITERS, node.name)?.(node) ?? sequence(node);
}

/** Gathers the equations of a stream of elements; each call says whether it took the event. */
export function createMathReader(say: (latex: string) => void) {
  const open: MathNode[] = [];
  return {
    open(name: string, attributes: Record<string, string>): boolean {
      if (open.length === 0 && name !== 'm:oMath') return false;
      const node: MathNode = { name, attributes, children: [], text: '' };
      open.at(-1)?.children.push(node);
      open.push(node);
      return true;
    },
    text(text: string): boolean {
      const node = open.at(-1);
      if (node) node.text += text;
      return node !== undefined;
    },
    close(): boolean {
      const node = open.pop();
      if (!node) return false;
      const latex = open.length === 0 ? toLatex(node).trim() : '';
      if (latex) say(`$${latex}$`);
      return true;
    },
  };
}
