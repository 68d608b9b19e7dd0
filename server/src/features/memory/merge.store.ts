import type { Queryable } from '../../db/db.ts';

/** What becomes of the statements and relations of an entity that is taken into another one. */

/** Same words of the same user are kept once; of two values of one slot the newer one holds. */
export const moveObservations = async (
  tx: Queryable,
  keptId: string,
  otherId: string,
  nowMs: number,
): Promise<void> => {
  const rows = await tx
    .selectFrom('memory_observations')
    .select(['id', 'entity_id', 'user_id', 'text_key', 'attribute', 'created_at'])
    .where('entity_id', 'in', [keptId, otherId])
    .where('valid_to', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const texts = new Set<string>();
  const slots = new Set<string>();
  for (const row of rows) {
    const text = `${row.user_id}\n${row.text_key}`;
    const slot = row.attribute === null ? null : `${row.user_id}\n${row.attribute}`;
    if (texts.has(text)) {
      await tx.deleteFrom('memory_observations').where('id', '=', row.id).execute();
    } else if (slot !== null && slots.has(slot)) {
      await tx.updateTable('memory_observations').set({ valid_to: nowMs }).where('id', '=', row.id).execute();
    }
    texts.add(text);
    if (slot !== null) slots.add(slot);
  }
  await tx
    .updateTable('memory_observations')
    .set({ entity_id: keptId })
    .where('entity_id', '=', otherId)
    .execute();
};

/** Relations between the two, and those that `kept` has already, go; the others are moved. */
export const moveRelations = async (tx: Queryable, keptId: string, otherId: string): Promise<void> => {
  const rows = await tx
    .selectFrom('memory_relations')
    .select(['id', 'owner', 'from_entity_id', 'to_entity_id', 'type_folded', 'valid_to'])
    .where((eb) =>
      eb.or([eb('from_entity_id', 'in', [keptId, otherId]), eb('to_entity_id', 'in', [keptId, otherId])]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const touches = (row: { from_entity_id: string; to_entity_id: string }): boolean =>
    row.from_entity_id === otherId || row.to_entity_id === otherId;
  const keyOf = (row: (typeof rows)[number]): string =>
    [
      row.owner,
      ...[row.from_entity_id, row.to_entity_id].map((id) => (id === otherId ? keptId : id)),
      row.type_folded,
    ].join('\n');
  const open = new Set(rows.filter((row) => !touches(row) && row.valid_to === null).map(keyOf));
  for (const row of rows.filter(touches)) {
    const from = row.from_entity_id === otherId ? keptId : row.from_entity_id;
    const to = row.to_entity_id === otherId ? keptId : row.to_entity_id;
    const key = keyOf(row);
    if (from === to || (row.valid_to === null && open.has(key))) {
      await tx.deleteFrom('memory_relations').where('id', '=', row.id).execute();
      continue;
    }
    if (row.valid_to === null) open.add(key);
    await tx
      .updateTable('memory_relations')
      .set({ from_entity_id: from, to_entity_id: to })
      .where('id', '=', row.id)
      .execute();
  }
};
