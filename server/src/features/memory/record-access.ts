import { type Caller, readScope } from '../../kernel/caller.ts';
import { forbidden, notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { mayChangeRecord, mayShare, SHARE_PERMISSION } from './access.rules.ts';
import type { EntityStore } from './entities.store.ts';
import type { EntityRecord, RelationRecord } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import { SHARED } from './rules.ts';
import type { Visibility } from './schema.ts';

/** Records as a caller may read and change them. Throws NOT_FOUND, FORBIDDEN for what others share. */
export const createRecordAccess = ({
  entities,
  relations,
}: {
  entities: EntityStore;
  relations: RelationStore;
}) => {
  const readEntity = async (caller: Caller, id: string): Promise<EntityRecord> => {
    const found = isUuid(id) ? await entities.get(readScope(caller), id) : null;
    if (found === null) throw notFound('entity');
    return found;
  };

  const changeable = async (caller: Caller, id: string): Promise<EntityRecord> => {
    const found = await readEntity(caller, id);
    if (!mayChangeRecord(caller, found.owner)) throw forbidden(SHARE_PERMISSION);
    return found;
  };

  const readRelation = async (caller: Caller, id: string): Promise<RelationRecord> => {
    const found = isUuid(id) ? await relations.get(readScope(caller), id) : null;
    if (found === null) throw notFound('relation');
    return found;
  };

  const changeableRelation = async (caller: Caller, id: string): Promise<RelationRecord> => {
    const found = await readRelation(caller, id);
    if (!mayChangeRecord(caller, found.owner)) throw forbidden(SHARE_PERMISSION);
    return found;
  };

  return { readEntity, changeable, readRelation, changeableRelation };
};

export type RecordAccess = ReturnType<typeof createRecordAccess>;

/** Throws FORBIDDEN for whoever may not share. */
export const ownerFor = (caller: Caller, visibility: Visibility | undefined): string => {
  if (visibility !== 'tenant') return caller.userId;
  if (!mayShare(caller)) throw forbidden(SHARE_PERMISSION);
  return SHARED;
};
