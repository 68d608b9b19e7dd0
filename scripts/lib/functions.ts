import ts from 'typescript6';

/** What is counted of a function: its lines from its first word to its last brace, and its parameters. */
export interface Counted {
  name: string;
  line: number;
  lines: number;
  parameters: number;
}

export interface Limits {
  lines: number;
  /** A factory (`create…`) holds functions that others call: each of them is counted by itself as well. */
  factoryLines: number;
  parameters: number;
}

export const LIMITS: Limits = { lines: 80, factoryLines: 200, parameters: 5 };

const FACTORY = /^create[A-Z]/;

const nameOf = (node: ts.FunctionLikeDeclaration): string => {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : '';
};

/** Every function of a source with a body, nested ones included. */
export const functionsOf = (file: string, text: string): Counted[] => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: Counted[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const counted = node as ts.FunctionLikeDeclaration;
      const line = lineOf(counted.getStart());
      found.push({
        name: nameOf(counted),
        line,
        lines: lineOf(counted.getEnd()) - line + 1,
        parameters: counted.parameters.length,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

/** Why a function is too large, or null. */
export const functionFault = (
  { name, lines, parameters }: Counted,
  limits: Limits = LIMITS,
): string | null => {
  const most = FACTORY.test(name) ? limits.factoryLines : limits.lines;
  if (lines > most) return `${lines} lines, ${most} at the most`;
  return parameters > limits.parameters ? `${parameters} parameters, ${limits.parameters} at the most` : null;
};
