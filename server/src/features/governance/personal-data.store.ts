import type { Queryable } from '../../db/db.ts';

export const proposalIdsOf = async (
  db: Queryable,
  owner: { tenantId: string; userId: string },
  only: { open: boolean } = { open: false },
): Promise<string[]> => {
  let query = db
    .selectFrom('proposals')
    .select('id')
    .where('tenant_id', '=', owner.tenantId)
    .where('requested_by', '=', owner.userId);
  if (only.open) query = query.where('status', 'in', ['voting', 'awaiting_human']);
  return (await query.execute()).map((row) => row.id);
};

/** A person's votes with their reasons, oldest first. */
export const votesBy = (db: Queryable, owner: { tenantId: string; userId: string }) =>
  db
    .selectFrom('proposal_votes as v')
    .innerJoin('proposals as p', 'p.id', 'v.proposal_id')
    .select(['v.proposal_id', 'v.seat', 'v.vote', 'v.reason', 'v.created_at'])
    .where('p.tenant_id', '=', owner.tenantId)
    .where('v.voter_type', '=', 'user')
    .where('v.voter', '=', owner.userId)
    .orderBy('v.created_at')
    .orderBy('v.proposal_id')
    .execute();

const ERASED = 'Erased';

/**
 * Takes the words out of what a person proposed and of how they voted. What was decided, by whom and at what cost stays: it
 * is the company's record. A call that was approved and not begun is not carried out any more. How many proposals.
 */
export const eraseWordsOf = async (
  tx: Queryable,
  owner: { tenantId: string; userId: string },
): Promise<number> => {
  const own = tx
    .selectFrom('proposals')
    .select('id')
    .where('tenant_id', '=', owner.tenantId)
    .where('requested_by', '=', owner.userId);
  await tx
    .updateTable('proposal_votes')
    .set({ reason: '' })
    .where((eb) =>
      eb.or([
        eb('proposal_id', 'in', own),
        eb.and([eb('voter_type', '=', 'user'), eb('voter', '=', owner.userId)]),
      ]),
    )
    .execute();
  await tx
    .updateTable('proposals')
    .set({ reason: null })
    .where('tenant_id', '=', owner.tenantId)
    .where('decided_by', '=', owner.userId)
    .execute();
  const mine = tx
    .updateTable('proposals')
    .where('tenant_id', '=', owner.tenantId)
    .where('requested_by', '=', owner.userId);
  await mine.set({ execution_status: 'failed' }).where('execution_status', '=', 'pending').execute();
  await mine.set({ evidence: null }).where('evidence', 'is not', null).execute();
  await mine.set({ tool_arguments: '{}' }).where('tool_arguments', 'is not', null).execute();
  const done = await mine
    .set({
      action: ERASED,
      description: '',
      reason: null,
      call_hash: null,
      consent_hash: null,
      execution_result: null,
      execution_error: null,
    })
    .where((eb) => eb.or([eb('action', '!=', ERASED), eb('description', '!=', '')]))
    .executeTakeFirst();
  return Number(done.numUpdatedRows);
};
