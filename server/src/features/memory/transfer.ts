import { foldName } from 'pentarch-prose';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { personalScope } from './access.rules.ts';
import type { EntityStore } from './entities.store.ts';
import type { EntityDraft } from './entity-upsert.store.ts';
import { observationOf } from './observation.ts';
import type { FactSource } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import { holdsAt } from './rules.ts';
import type { ImportCounts } from './schema.ts';
import { type MemoryLine, parseLine } from './transfer.rules.ts';

/** Memory as JSON Lines in the form of the public MCP memory server (contract, section 14). */

export interface TransferParts {
  entities: EntityStore;
  relations: RelationStore;
  clock: Clock;
}

type EntityLine = Extract<MemoryLine, { type: 'entity' }>;
type RelationLine = Extract<MemoryLine, { type: 'relation' }>;

const BATCH = 500;

/** In order, up to BATCH lines each; a batch ends before a name and type that it has already. */
const batchesOf = (lines: readonly EntityLine[]): EntityLine[][] => {
  const batches: EntityLine[][] = [];
  let batch: EntityLine[] = [];
  let keys = new Set<string>();
  for (const line of lines) {
    const key = JSON.stringify([foldName(line.name), foldName(line.entityType)]);
    if (batch.length === 0 || batch.length >= BATCH || keys.has(key)) {
      batch = [];
      keys = new Set();
      batches.push(batch);
    }
    batch.push(line);
    keys.add(key);
  }
  return batches;
};

const draftOf = (line: EntityLine, owner: string, tenantId: string): EntityDraft => ({
  tenantId,
  owner,
  name: line.name,
  entityType: line.entityType,
  importance: null,
  subjectUserId: null,
});

export const createTransfer = ({ entities, relations, clock }: TransferParts) => {
  /** True when the line made an entity or added to one. A full entity takes nothing more: the line is skipped. */
  const importEntity = async (
    line: EntityLine,
    owner: string,
    tenantId: string,
    source: FactSource,
  ): Promise<{ id: string; changed: boolean } | null> => {
    try {
      const { id, created, added } = await entities.upsert(
        draftOf(line, owner, tenantId),
        line.observations.map((text) => observationOf(text, line.name)),
        source,
        clock.now(),
      );
      return { id, changed: created || added > 0 };
    } catch (error) {
      if (error instanceof AppError && error.code === 'CONFLICT') return null;
      throw error;
    }
  };

  return {
    /** What holds now of the caller's own and the shared memory: entities first, then relations, the oldest first. */
    async export(caller: Caller): Promise<string> {
      const scope = personalScope(caller);
      const now = clock.now();
      const records = await entities.all(scope);
      const names = new Map(records.map((entity) => [entity.id, entity.name]));
      const lines: MemoryLine[] = records.map((entity) => ({
        type: 'entity',
        name: entity.name,
        entityType: entity.entityType,
        observations: entity.observations.filter((o) => holdsAt(o, now)).map((o) => o.text),
      }));
      for (const relation of await relations.all(scope, now)) {
        const from = names.get(relation.fromEntityId);
        const to = names.get(relation.toEntityId);
        if (from !== undefined && to !== undefined)
          lines.push({ type: 'relation', from, to, relationType: relation.relationType });
      }
      return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    },

    /**
     * Takes lines in; an entity may follow the relations that name it. `owner` has been settled by the caller's rights.
     * Throws VALIDATION_ERROR when no line at all can be read.
     */
    async import(caller: Caller, owner: string, text: string): Promise<ImportCounts> {
      const lines = text
        .replace(/^\uFEFF/, '')
        .split('\n')
        .filter((line) => line.trim() !== '');
      const parsed = lines.map(parseLine);
      if (parsed.every((line) => line === null))
        throw invalid({ field: '/', reason: 'must be JSON Lines with entities and relations' });
      const source: FactSource = {
        kind: 'import',
        messageId: null,
        conversationId: null,
        userId: caller.userId,
      };
      const counts: ImportCounts = { entities: 0, relations: 0, skipped: 0 };
      const ids = new Map<string, string>();
      const take = (line: EntityLine, made: { id: string; changed: boolean } | null): void => {
        if (made?.changed === true) counts.entities++;
        else counts.skipped++;
        // A name stands for the first entity of the file that has it.
        const name = foldName(line.name);
        if (made !== null && !ids.has(name)) ids.set(name, made.id);
      };
      const entityLines = parsed.filter((line): line is EntityLine => line?.type === 'entity');
      for (const batch of batchesOf(entityLines)) {
        const made = await entities.importMany(
          batch.map((line) => ({
            draft: draftOf(line, owner, caller.tenantId),
            observations: line.observations.map((text) => observationOf(text, line.name)),
          })),
          source,
          clock.now(),
        );
        for (const [i, line] of batch.entries())
          take(line, made[i] ?? (await importEntity(line, owner, caller.tenantId, source)));
      }
      const idOf = async (name: string): Promise<string | null> => {
        const known = ids.get(foldName(name));
        if (known !== undefined) return known;
        const entity = await entities.byName(personalScope(caller), name, null);
        // What the tenant shares must not hang on a private entity.
        return entity !== null && (entity.owner === owner || owner === caller.userId) ? entity.id : null;
      };
      const importRelation = async (line: RelationLine): Promise<boolean> => {
        const fromEntityId = await idOf(line.from);
        const toEntityId = await idOf(line.to);
        if (fromEntityId === null || toEntityId === null) return false;
        const now = clock.now();
        const draft = {
          tenantId: caller.tenantId,
          owner,
          fromEntityId,
          toEntityId,
          relationType: line.relationType,
          properties: {},
          validFrom: now,
          validTo: null,
        };
        try {
          return (await relations.add(draft, source, now)).created;
        } catch (error) {
          // Somebody has just deleted one of the two: it is a line that ties unknown names.
          if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
          throw error;
        }
      };
      for (const line of parsed) {
        if (line?.type === 'entity') continue;
        if (line !== null && (await importRelation(line))) counts.relations++;
        else counts.skipped++;
      }
      return counts;
    },
  };
};

export type Transfer = ReturnType<typeof createTransfer>;
