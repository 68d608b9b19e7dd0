import ts from 'typescript6';

/** What is done everywhere is called in one place, so that nobody writes it out again (docs/decisions/0085-one-primitive.md). */
export interface SinglePlace {
  /** For the fault: what to use instead. */
  instead: string;
  method: string;
  /** Of the last word before the method. */
  receiver: RegExp;
  /** Files that may call it. */
  files: readonly string[];
}

export const SINGLE_PLACES: readonly SinglePlace[] = [
  {
    instead: 'tx.emit records an event in its transaction',
    method: 'record',
    receiver: /outbox$/i,
    files: ['server/src/db/emit.ts'],
  },
  {
    instead: 'tx.emit tells an event after the commit of its transaction',
    method: 'publish',
    receiver: /(?:bus|events|outlet)$/i,
    // Those of features tell what has no transaction (`PassingEvent`).
    files: [
      'server/src/db/emit.ts',
      'server/src/features/chat/running.ts',
      'server/src/features/governance/after-decision.ts',
      'server/src/features/knowledge/index.ts',
    ],
  },
  {
    instead: 'createMetered reserves, works and books',
    method: 'hold',
    receiver: /costs$/i,
    // A run's own reservation is settled by a later write than the one that takes it.
    files: ['server/src/features/costs/metered.ts', 'server/src/features/chat/budget.ts'],
  },
];

export interface Call {
  receiver: string;
  method: string;
  line: number;
  /** It stands in the work that a store's `write` is given. */
  inWrite: boolean;
}

/** The last word of an expression: `options.costs` and `costs` are both `costs`. */
const lastWord = (node: ts.Expression): string => {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isIdentifier(node) ? node.text : '';
};

/** Every call of a method of something that has a name. */
export const callsOf = (file: string, text: string): Call[] => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const calls: Call[] = [];
  const visit = (node: ts.Node, inWrite: boolean): void => {
    let within = inWrite;
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      const line = source.getLineAndCharacterOfPosition(name.getStart()).line + 1;
      calls.push({ receiver: lastWord(expression), method: name.text, line, inWrite });
      within ||= name.text === 'write';
    }
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(source, false);
  return calls;
};

const called = ({ receiver, method }: Call, place: SinglePlace): boolean =>
  method === place.method && place.receiver.test(receiver);

/** Calls in a file that belong elsewhere. */
export const faultsOfPlaces = (
  file: string,
  text: string,
  places: readonly SinglePlace[] = SINGLE_PLACES,
): string[] =>
  callsOf(file, text).flatMap((call) =>
    places
      .filter((place) => called(call, place) && (!place.files.includes(file) || call.inWrite))
      .map(({ instead }) => `${file}:${call.line} calls ${call.receiver}.${call.method}: ${instead}`),
  );

/** Features ask `cluster.alone` or `db.oneWriter`; the engine's name is for statements that only one of the two has. */
const ENGINE = /\bdialect\s*[!=]==\s*'(?:sqlite|postgres)'/g;
/** The lock of counters is a statement of PostgreSQL. */
const OF_STATEMENTS = /(?:store\.ts|\/costs\/subject-counters\.ts)$/;

export const faultsOfEngine = (file: string, text: string): string[] =>
  OF_STATEMENTS.test(file)
    ? []
    : [...text.matchAll(ENGINE)].map(
        ({ 0: found, index }) =>
          `${file}:${text.slice(0, index).split('\n').length} asks ${found}: cluster.alone says whether there are other nodes, db.oneWriter whether writes come one after another`,
      );

/** How often each of the files of a place calls it: exactly once in the first, which is the primitive. */
export const countOf = (file: string, text: string, place: SinglePlace): number =>
  callsOf(file, text).filter((call) => called(call, place)).length;
