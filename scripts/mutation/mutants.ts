import ts from 'typescript6';

/**
 * Small faults that a test should notice, put into a source one beside the other: each stands behind a switch, so that a file is
 * rewritten once and any fault of it can be turned on by its number.
 */

/** What is put in the place of what. */
export interface Mutant {
  kind: string;
  /** Lines count from 1. */
  line: number;
  original: string;
  replacement: string;
}

export interface Instrumented {
  text: string;
  mutants: readonly Mutant[];
}

type Change = Pick<Mutant, 'kind' | 'replacement'>;

const { SyntaxKind } = ts;

const COMPARISONS: Partial<Record<ts.SyntaxKind, readonly string[]>> = {
  [SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
  [SyntaxKind.LessThanToken]: ['<=', '>='],
  [SyntaxKind.LessThanEqualsToken]: ['<', '>'],
  [SyntaxKind.GreaterThanToken]: ['>=', '<='],
  [SyntaxKind.GreaterThanEqualsToken]: ['>', '<'],
};
const OPERATORS: Partial<Record<ts.SyntaxKind, string>> = {
  [SyntaxKind.AmpersandAmpersandToken]: '||',
  [SyntaxKind.BarBarToken]: '&&',
  [SyntaxKind.QuestionQuestionToken]: '&&',
  [SyntaxKind.MinusToken]: '+',
  [SyntaxKind.AsteriskToken]: '/',
  [SyntaxKind.SlashToken]: '*',
  [SyntaxKind.PercentToken]: '*',
  [SyntaxKind.PlusEqualsToken]: '-=',
  [SyntaxKind.MinusEqualsToken]: '+=',
};
/** Calls that become another one, and those that are left out of their chain. */
const RENAMED: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  floor: 'ceil',
  ceil: 'floor',
};
const LEFT_OUT = new Set(['filter', 'sort', 'toSorted', 'slice', 'trim', 'reverse', 'toReversed']);

const textOf = (node: ts.Node): string => node.getText();

/** The text of a node with one part of it replaced. */
const replaced = (node: ts.Node, part: { getStart(): number; end: number }, by: string): string => {
  const from = node.getStart();
  const text = textOf(node);
  return text.slice(0, part.getStart() - from) + by + text.slice(part.end - from);
};

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);

const ofBinary = (node: ts.BinaryExpression): Change[] => {
  const { operatorToken: token } = node;
  const others = COMPARISONS[token.kind];
  if (others !== undefined) {
    return others.map((by) => ({ kind: 'comparison', replacement: replaced(node, token, by) }));
  }
  const other = OPERATORS[token.kind];
  if (other !== undefined)
    return [{ kind: 'operator', replacement: `(${textOf(node.left)}) ${other} (${textOf(node.right)})` }];
  const adds = token.kind === SyntaxKind.PlusToken && !isText(node.left) && !isText(node.right);
  return adds ? [{ kind: 'operator', replacement: replaced(node, token, '-') }] : [];
};

const ofUnary = (node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): Change[] => {
  if (node.operator === SyntaxKind.ExclamationToken) {
    return [{ kind: 'negation', replacement: textOf(node.operand) }];
  }
  const by = { [SyntaxKind.PlusPlusToken]: '--', [SyntaxKind.MinusMinusToken]: '++' }[
    node.operator as number
  ];
  if (by === undefined) return [];
  const operand = textOf(node.operand);
  return [{ kind: 'operator', replacement: ts.isPrefixUnaryExpression(node) ? by + operand : operand + by }];
};

const ofCall = (node: ts.CallExpression): Change[] => {
  if (!ts.isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  const by = Object.hasOwn(RENAMED, name.text) ? RENAMED[name.text] : undefined;
  if (by !== undefined) return [{ kind: 'method', replacement: replaced(node, name, by) }];
  return LEFT_OUT.has(name.text) ? [{ kind: 'method', replacement: textOf(expression) }] : [];
};

/** Words are kept out: a code, a state or a name has no blank, and what has one is wording. */
const ofLiteral = (node: ts.StringLiteral | ts.NoSubstitutionTemplateLiteral): Change[] => {
  if (/\s/.test(node.text)) return [];
  return [{ kind: 'text', replacement: node.text === '' ? "'changed'" : "''" }];
};

/** Whether it decides: the condition of an if, a loop or a choice. */
const isCondition = (node: ts.Node): boolean => {
  const { parent } = node;
  return (
    ((ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent)) &&
      parent.expression === node) ||
    ((ts.isConditionalExpression(parent) || ts.isForStatement(parent)) && parent.condition === node)
  );
};
const isLoop = ({ parent }: ts.Node): boolean => ts.isIterationStatement(parent, false);

const isTarget = (node: ts.Node): boolean => {
  const { parent } = node;
  if (ts.isBinaryExpression(parent) && parent.left === node) {
    return (
      parent.operatorToken.kind >= SyntaxKind.FirstAssignment &&
      parent.operatorToken.kind <= SyntaxKind.LastAssignment
    );
  }
  return ts.isForOfStatement(parent) && parent.initializer === node;
};

/** A name or a specifier, which is written like a text and is none. */
const isNameOnly = (node: ts.Node): boolean => {
  const { parent } = node;
  const named = 'name' in parent && parent.name === node;
  const specifier =
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    (ts.isCallExpression(parent) && parent.expression.kind === SyntaxKind.ImportKeyword);
  return named || specifier || ts.isExpressionStatement(parent) || ts.isTaggedTemplateExpression(parent);
};

/** Expressions that must not be put into brackets by themselves: the rest of the chain would no longer be skipped. */
const inChain = (node: ts.Node): boolean =>
  (node.flags & ts.NodeFlags.OptionalChain) !== 0 &&
  (ts.isPropertyAccessExpression(node.parent) ||
    ts.isElementAccessExpression(node.parent) ||
    ts.isCallExpression(node.parent) ||
    ts.isNonNullExpression(node.parent)) &&
  node.parent.expression === node &&
  (node.parent.flags & ts.NodeFlags.OptionalChain) !== 0;

const ofChain = (node: ts.Expression): Change[] => {
  const found: Change[] = [];
  for (let part: ts.Node = node; (part.flags & ts.NodeFlags.OptionalChain) !== 0; ) {
    const link = part as ts.PropertyAccessChain | ts.ElementAccessChain | ts.CallChain;
    if (link.questionDotToken !== undefined) {
      const by = ts.isPropertyAccessExpression(link) ? '.' : '';
      found.push({ kind: 'optional', replacement: replaced(node, link.questionDotToken, by) });
    }
    part = link.expression;
  }
  return found;
};

const ofOperation = (node: ts.Node): Change[] => {
  if (ts.isBinaryExpression(node)) return ofBinary(node);
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) return ofUnary(node);
  if (ts.isCallExpression(node)) return ofCall(node);
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return isNameOnly(node) ? [] : ofLiteral(node);
  }
  if (node.kind === SyntaxKind.TrueKeyword) return [{ kind: 'truth', replacement: 'false' }];
  if (node.kind === SyntaxKind.FalseKeyword) return [{ kind: 'truth', replacement: 'true' }];
  if (ts.isArrayLiteralExpression(node) && node.elements.length > 0)
    return [{ kind: 'list', replacement: '[]' }];
  return [];
};

const isDoing = (node: ts.Node): boolean =>
  ts.isExpressionStatement(node.parent) &&
  (ts.isCallExpression(node) || (ts.isAwaitExpression(node) && ts.isCallExpression(node.expression)));

/** What can be changed about this very expression; what is inside of it is looked at by itself. */
const changesOf = (node: ts.Node): Change[] => {
  if (!ts.isExpression(node) || isTarget(node) || inChain(node)) return [];
  const found = ofOperation(node);
  if ((node.flags & ts.NodeFlags.OptionalChain) !== 0) found.push(...ofChain(node));
  if (isCondition(node)) {
    if (!isLoop(node)) found.push({ kind: 'condition', replacement: 'true' });
    found.push({ kind: 'condition', replacement: 'false' });
  }
  if (isDoing(node)) found.push({ kind: 'call', replacement: 'undefined' });
  if (ts.isArrowFunction(node.parent) && node.parent.body === node && !ts.isBlock(node)) {
    found.push({ kind: 'body', replacement: 'undefined' });
  }
  const text = textOf(node);
  return found.filter(({ replacement }) => replacement !== text);
};

const isErased = (node: ts.Node): boolean =>
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) ||
  ts.isTypeParameterDeclaration(node);

const isFunctionBody = (node: ts.Node): node is ts.Block =>
  ts.isBlock(node) && ts.isFunctionLike(node.parent) && node.statements.length > 0;

/** `on` names the function that says whether the fault of a number is on; numbers begin at `first`. */
export const instrument = (file: string, text: string, on: string, first: number): Instrumented => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const numbered = (node: ts.Node, { kind, replacement }: Change, original = textOf(node)): number => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    mutants.push({ kind, line, original, replacement });
    return first + mutants.length - 1;
  };
  const inside = (node: ts.Node): string => {
    let written = '';
    let at = node.getStart();
    ts.forEachChild(node, (child) => {
      written += text.slice(at, child.getStart()) + render(child);
      at = child.end;
    });
    return written + text.slice(at, node.end);
  };
  const render = (node: ts.Node): string => {
    if (isErased(node)) return textOf(node);
    const choices = changesOf(node).map(
      (change) => `${on}(${numbered(node, change)}) ? (${change.replacement}) : `,
    );
    const emptied = isFunctionBody(node) ? numbered(node, { kind: 'body', replacement: '{}' }, '{…}') : null;
    const written = inside(node);
    if (emptied !== null) return `{ if (${on}(${emptied})) return; ${written.slice(1)}`;
    return choices.length === 0 ? written : `(${choices.join('')}(${written}))`;
  };
  return { text: render(source), mutants };
};
