import { dirname, join } from 'node:path';
import type * as TypeScript from 'typescript6';

/**
 * Finds the regular expressions of the sources: literals, `new RegExp(…)` of constant text, and the `pattern` keyword of
 * schemas. Pure; `check-expressions.ts` reads the files and asks the analyser.
 */

type Ts = typeof TypeScript;
type Node = TypeScript.Node;
type Expression = TypeScript.Expression;

export interface Found {
  file: string;
  line: number;
  source: string;
  flags: string;
  /** Longest text that it looks at, where it stands in `bounded(max, …)`; else null. */
  max: number | null;
}

export interface Unread {
  file: string;
  line: number;
  text: string;
}

interface Module {
  file: string;
  source: TypeScript.SourceFile;
  constants: Map<string, Expression>;
  /** Name here → file and name there. */
  imports: Map<string, { file: string; name: string }>;
  /** Files that it loads when it runs: imports of types alone are none. */
  loads: string[];
}

type Scope = ReadonlyMap<string, string>;
const EMPTY: Scope = new Map();
const MAX_DEPTH = 30;

/** The file that an import names: a neighbour, or the index of one of our packages; null for a library. */
const fileOf = (from: string, importing: string): string | null => {
  if (from.startsWith('.')) return join(dirname(importing), from);
  const own = /^pentarch-([a-z-]+)$/.exec(from)?.[1];
  return own === undefined ? null : `packages/${own}/src/index.ts`;
};

const literalOf = (text: string): { source: string; flags: string } => {
  const end = text.lastIndexOf('/');
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
};

export const createFinder = (ts: Ts, texts: ReadonlyMap<string, string>) => {
  const modules = new Map<string, Module>();

  const read = (file: string, text: string): Module => {
    const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
    const module: Module = { file, source, constants: new Map(), imports: new Map(), loads: [] };
    const twice = new Set<string>();
    const declare = (node: Node): void => {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
        // Two of one name: which is meant would need the language's scopes, so neither is taken.
        if (module.constants.has(node.name.text)) twice.add(node.name.text);
        module.constants.set(node.name.text, node.initializer);
      }
      const from =
        ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly
          ? node.moduleSpecifier
          : ts.isExportDeclaration(node) && !node.isTypeOnly
            ? node.moduleSpecifier
            : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
              ? node.arguments[0]
              : undefined;
      const target = from && ts.isStringLiteral(from) ? fileOf(from.text, file) : null;
      if (target !== null) module.loads.push(target);
      const bindings = ts.isImportDeclaration(node)
        ? node.importClause?.namedBindings
        : ts.isExportDeclaration(node)
          ? node.exportClause
          : undefined;
      if (target !== null && bindings && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings)))
        for (const one of bindings.elements)
          module.imports.set(one.name.text, { file: target, name: (one.propertyName ?? one.name).text });
      ts.forEachChild(node, declare);
    };
    declare(source);
    for (const name of twice) module.constants.delete(name);
    return module;
  };
  for (const [file, text] of texts) modules.set(file, read(file, text));

  /** The constant an identifier stands for, and the module it is written in. */
  const constantOf = (module: Module, name: string): { module: Module; value: Expression } | null => {
    const own = module.constants.get(name);
    if (own) return { module, value: own };
    const imported = module.imports.get(name);
    const from = imported && modules.get(imported.file);
    return imported && from ? constantOf(from, imported.name) : null;
  };

  const listOf = (module: Module, node: Expression, scope: Scope): string[] | null => {
    if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node))
      return listOf(module, node.expression, scope);
    if (ts.isIdentifier(node)) {
      const constant = constantOf(module, node.text);
      return constant === null ? null : listOf(constant.module, constant.value, EMPTY);
    }
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'slice'
    ) {
      const list = listOf(module, node.expression.expression, scope);
      const bounds = node.arguments.map((argument) => numberOf(module, argument));
      return list?.slice(...(bounds as [number?, number?])) ?? null;
    }
    if (!ts.isArrayLiteralExpression(node)) return null;
    const items = node.elements.map((element) =>
      ts.isSpreadElement(element) ? null : textOf(module, element, scope),
    );
    return items.some((item) => item === null) ? null : (items as string[]);
  };

  const numberOf = (module: Module, node: Expression): number | null => {
    if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''));
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
      const value = numberOf(module, node.operand);
      return value === null ? null : -value;
    }
    if (!ts.isIdentifier(node)) return null;
    const constant = constantOf(module, node.text);
    return constant === null ? null : numberOf(constant.module, constant.value);
  };

  /** What a call of an own one-line function with constant arguments gives. */
  const callOf = (module: Module, node: TypeScript.CallExpression, scope: Scope): string | null => {
    if (!ts.isIdentifier(node.expression)) return null;
    const called = constantOf(module, node.expression.text);
    if (called === null || !ts.isArrowFunction(called.value) || ts.isBlock(called.value.body)) return null;
    const inner = scopeOf(module, called.value, node, scope);
    return inner === null ? null : textOf(called.module, called.value.body, inner);
  };

  const scopeOf = (
    module: Module,
    called: TypeScript.ArrowFunction,
    call: TypeScript.CallExpression,
    scope: Scope,
  ): Scope | null => {
    const inner = new Map<string, string>();
    for (const [i, parameter] of called.parameters.entries()) {
      const argument = call.arguments[i] ?? parameter.initializer;
      const value = argument === undefined ? null : textOf(module, argument, scope);
      if (value !== null && ts.isIdentifier(parameter.name)) inner.set(parameter.name.text, value);
    }
    return inner;
  };

  /** A function that calls itself has no constant text. */
  let depth = 0;
  const textOf = (module: Module, node: Expression, scope: Scope): string | null => {
    if (depth > MAX_DEPTH) return null;
    depth++;
    try {
      return readText(module, node, scope);
    } finally {
      depth--;
    }
  };

  const readText = (module: Module, node: Expression, scope: Scope): string | null => {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
      return textOf(module, node.expression, scope);
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw')
      return ts.isNoSubstitutionTemplateLiteral(node.template) ? (node.template.rawText ?? null) : null;
    if (ts.isTemplateExpression(node)) {
      let text = node.head.text;
      for (const span of node.templateSpans) {
        const value = textOf(module, span.expression, scope);
        if (value === null) return null;
        text += value + span.literal.text;
      }
      return text;
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
      const [left, right] = [textOf(module, node.left, scope), textOf(module, node.right, scope)];
      return left === null || right === null ? null : left + right;
    }
    if (ts.isIdentifier(node)) {
      const bound = scope.get(node.text);
      if (bound !== undefined) return bound;
      const constant = constantOf(module, node.text);
      return constant === null ? null : textOf(constant.module, constant.value, EMPTY);
    }
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'source')
      return expressionOf(module, node.expression, scope)?.source ?? null;
    if (!ts.isCallExpression(node)) return null;
    if (ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      if (name.text === 'join') {
        const separator = node.arguments[0] && textOf(module, node.arguments[0], scope);
        return listOf(module, expression, scope)?.join(separator ?? ',') ?? null;
      }
      if (name.text === 'slice') {
        const bounds = node.arguments.map((argument) => numberOf(module, argument));
        return textOf(module, expression, scope)?.slice(...(bounds as [number?, number?])) ?? null;
      }
      return null;
    }
    return callOf(module, node, scope);
  };

  /** Source and flags of a literal, of a constant that is one, or of a `new RegExp` of constant text. */
  const expressionOf = (
    module: Module,
    node: Node,
    scope: Scope,
  ): { source: string; flags: string } | null => {
    if (ts.isRegularExpressionLiteral(node)) return literalOf(node.text);
    if (ts.isIdentifier(node)) {
      const constant = constantOf(module, node.text);
      return constant === null ? null : expressionOf(constant.module, constant.value, EMPTY);
    }
    if (ts.isCallExpression(node) && node.expression.getText() === 'bounded' && node.arguments[1])
      return expressionOf(module, node.arguments[1], scope);
    if (!ts.isNewExpression(node) || node.expression.getText() !== 'RegExp') return null;
    const [text, flags] = node.arguments ?? [];
    const source = text === undefined ? null : textOf(module, text, scope);
    const given = flags === undefined ? '' : textOf(module, flags, scope);
    return source === null || given === null ? null : { source, flags: given };
  };

  const boundOf = (module: Module, node: Node): number | null => {
    const { parent } = node;
    if (!ts.isCallExpression(parent) || parent.expression.getText() !== 'bounded') return null;
    const [max] = parent.arguments;
    return max === undefined ? null : numberOf(module, max);
  };

  /** The calls of the function that a `new RegExp` of its arguments stands in, in its own module. */
  const callsOf = (node: Node): { name: string; called: TypeScript.ArrowFunction } | null => {
    for (let up: Node = node; up.parent !== undefined; up = up.parent) {
      const { parent } = up;
      if (
        ts.isVariableDeclaration(parent) &&
        ts.isIdentifier(parent.name) &&
        ts.isArrowFunction(up) &&
        parent.initializer === up
      )
        return { name: parent.name.text, called: up };
    }
    return null;
  };

  const find = (module: Module): { found: Found[]; unread: Unread[] } => {
    const found: Found[] = [];
    const unread: Unread[] = [];
    const lineOf = (node: Node): number =>
      module.source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const add = (node: Node, one: { source: string; flags: string }, max: number | null): void => {
      found.push({ file: module.file, line: lineOf(node), source: one.source, flags: one.flags, max });
    };
    const built = (node: TypeScript.NewExpression): void => {
      const max = boundOf(module, node);
      const one = expressionOf(module, node, EMPTY);
      if (one !== null) return add(node, one, max);
      const around = callsOf(node);
      const before = found.length;
      let missed = around === null;
      const look = (at: Node): void => {
        if (
          around !== null &&
          ts.isCallExpression(at) &&
          ts.isIdentifier(at.expression) &&
          at.expression.text === around.name
        ) {
          const scope = scopeOf(module, around.called, at, EMPTY);
          const here = scope === null ? null : expressionOf(module, node, scope);
          if (here === null) missed = true;
          else add(at, here, max);
        }
        ts.forEachChild(at, look);
      };
      look(module.source);
      if (missed || found.length === before)
        unread.push({ file: module.file, line: lineOf(node), text: node.getText() });
    };
    const visit = (node: Node): void => {
      if (ts.isRegularExpressionLiteral(node)) add(node, literalOf(node.text), boundOf(module, node));
      else if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') built(node);
      else if (
        ts.isPropertyAssignment(node) &&
        node.name.getText() === 'pattern' &&
        !ts.isRegularExpressionLiteral(node.initializer)
      ) {
        const source = textOf(module, node.initializer, EMPTY);
        if (source !== null) add(node, { source, flags: 'u' }, null);
      }
      ts.forEachChild(node, visit);
    };
    visit(module.source);
    return { found, unread };
  };

  const reached = (entries: readonly string[]): Set<string> => {
    const seen = new Set<string>();
    const queue = [...entries];
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      queue.push(...(modules.get(file)?.loads ?? []));
    }
    return seen;
  };

  return {
    find(): { found: Found[]; unread: Unread[] } {
      const all = [...modules.values()].map(find);
      return { found: all.flatMap((one) => one.found), unread: all.flatMap((one) => one.unread) };
    },
    /** The modules that these entries load and nothing else does. */
    onlyFrom(entries: readonly string[]): Set<string> {
      const inside = reached(entries);
      const outside = reached([...modules.keys()].filter((file) => !inside.has(file)));
      return new Set([...inside].filter((file) => !outside.has(file)));
    },
  };
};
