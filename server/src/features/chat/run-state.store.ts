import { compiledCount } from '../../db/compiled.ts';
import type { Queryable } from '../../db/db.ts';
import type { RunRow } from '../../db/tables/chat.ts';
import { nextState, type RunTurn, statesBefore } from './run-state.rules.ts';
import type { RunStatus } from './schema.ts';

/** Where a run stands and whose it is, for a write that changes its state. */
interface RunMove {
  id: string;
  /** The node whose run it has to be. */
  nodeId: string;
  /** The state in which the writer knows it. */
  from: RunStatus;
  event: RunTurn;
}

/** What a waiting run, and one that has ended, tells of what it has used. */
type Used = Pick<RunRow, 'agent_ids' | 'usage' | 'cost_nano'>;
type Ended = Used &
  Pick<RunRow, 'error' | 'journal' | 'tool_call_count' | 'delegated' | 'first_token_ms' | 'finished_at'>;
/** What changes with the state. */
type RunChange = Partial<Ended & Pick<RunRow, 'agent_id'>>;

type Columns = keyof RunChange & string;
type Written = { id: string; node_id: string; status: RunStatus } & RunChange;

/**
 * One statement for each event and set of columns, compiled once. Its condition is made from the table of transitions, so that the
 * store refuses what the table lacks even where the writer's knowledge is old.
 */
const statements = new Map<string, (tx: Queryable, values: Written) => Promise<number>>();

const statementOf = (event: RunTurn, columns: readonly Columns[]) => {
  const key = `${event} ${columns.join(' ')}`;
  let statement = statements.get(key);
  if (statement === undefined) {
    statement = compiledCount<Written>((db, p) =>
      db
        .updateTable('runs')
        .set({
          status: p('status'),
          ...Object.fromEntries(columns.map((column) => [column, p(column)])),
        })
        .where('id', '=', p('id'))
        .where('node_id', '=', p('node_id'))
        .where('status', 'in', statesBefore(event)),
    );
    statements.set(key, statement);
  }
  return statement;
};

/**
 * The one write that changes a run's state. False where the run is another node's by now, or has moved on meanwhile. Throws
 * `NoTransition` where the table has none from `from` by this event.
 */
export const moveRun = async (
  tx: Queryable,
  { id, nodeId, from, event }: RunMove,
  change: RunChange = {},
): Promise<boolean> => {
  const status = nextState(from, event);
  const columns = Object.keys(change).sort() as Columns[];
  return (await statementOf(event, columns)(tx, { id, node_id: nodeId, status, ...change })) > 0;
};
