import type { Queryable } from '../../db/db.ts';

/** Takes the one right to carry out the stored call: true for one caller, ever. */
export const claimExecution = async (
  tx: Queryable,
  id: string,
  nodeId: string,
  deadline: number,
): Promise<boolean> => {
  const rows = await tx
    .updateTable('proposals')
    .set({ execution_status: 'running', execution_node: nodeId, execution_deadline: deadline })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .where('execution_status', '=', 'pending')
    .returning('id')
    .execute();
  return rows.length === 1;
};

/** Ends a running execution; false where it has been given up as unknown before. */
export const finishExecution = async (
  tx: Queryable,
  id: string,
  end: { status: 'completed' | 'failed' | 'unknown'; result: unknown; error: string | null },
): Promise<boolean> => {
  const rows = await tx
    .updateTable('proposals')
    .set({
      execution_status: end.status,
      execution_result: end.result === undefined || end.result === null ? null : JSON.stringify(end.result),
      execution_error: end.error,
    })
    .where('id', '=', id)
    .where('execution_status', '=', 'running')
    .returning('id')
    .execute();
  return rows.length === 1;
};
