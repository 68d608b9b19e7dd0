import { LRUCache } from 'lru-cache';
import { TOLD_PREFERENCES } from 'pentarch-memory-patterns';
import { foldName } from 'pentarch-prose';
import type { Clock } from '../../kernel/clock.ts';
import { iso } from '../../kernel/clock.ts';
import type { EmbeddingPayer, MeteredEmbedder } from '../../kernel/embedder.ts';
import type { Taint } from '../../kernel/taint.ts';
import { personalScope } from './access.rules.ts';
import type { EntityStore } from './entities.store.ts';
import { MAX_QUERY, readQuery, scoreOf } from './recall.rules.ts';
import type { HeldStatement, RecallStore } from './recall.store.ts';
import type { FactSource } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import { cleanText, decayedImportance, SHARED } from './rules.ts';

/** Whose memory: the user's own and the tenant's shared one, whatever else they may read. */
export interface Who {
  tenantId: string;
  userId: string;
}

/** The same, and what pays for what is embedded: nothing but the person where no run or conversation does. */
export type PayingWho = Who & Pick<EmbeddingPayer, 'run' | 'conversationId'>;

export interface RecalledFact {
  entityId: string;
  /** Null for a relation between two entities. */
  observationId: string | null;
  entityName: string;
  /** One line for a prompt, with its source. */
  text: string;
  /** The statement alone. */
  statement: string;
  /** 0–1 */
  score: number;
  shared: boolean;
  /** Not the user's own words: shared or entered by others, or taken over from elsewhere. */
  foreign: boolean;
  source: FactSource | null;
  createdAt: number;
}

/** What these bring into a run. */
export const taintOfFacts = (facts: readonly Pick<RecalledFact, 'foreign'>[]): Taint =>
  facts.some((fact) => fact.foreign) ? ['memory'] : [];

export interface RecallParts {
  entities: EntityStore;
  relations: RelationStore;
  recallStore: RecallStore;
  clock: Clock;
  embedder: MeteredEmbedder | null;
  /** This process alone writes the store, so that it can know of somebody that there is nothing yet. */
  alone: boolean;
}

const MAX_LINE = 400;
/** How long another node's first entity of a user may go unseen. */
const NOTHING_TTL_MS = 5_000;
const MIN_COSINE = 0.35;

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
};

const saidBy = (statement: HeldStatement, who: Who): string => {
  const { source, createdAt } = statement.observation;
  const when = iso(createdAt).slice(0, 10);
  if (statement.entity.owner === SHARED) return `shared in the organisation, ${when}`;
  if (source.userId !== who.userId) return `entered by an operator, ${when}`;
  return source.kind === 'message' || source.kind === 'agent'
    ? `told by the user, ${when}`
    : `entered by the user, ${when}`;
};

/** An operator who shares a fact is somebody else for all others. */
const isForeign = (source: FactSource, who: Who): boolean =>
  source.userId !== who.userId || source.kind === 'import' || source.kind === 'untrusted';

const line = (subject: string, said: string, source: string): string =>
  `${cleanText(`${subject}: ${said}`).slice(0, MAX_LINE)} (${source})`;

export const createRecall = ({ entities, relations, recallStore, clock, embedder, alone }: RecallParts) => {
  const recalled = (statement: HeldStatement, who: Who, score: number): RecalledFact => {
    const isSelf = statement.entity.subjectUserId === who.userId;
    return {
      entityId: statement.entity.id,
      observationId: statement.observation.id,
      entityName: statement.entity.name,
      text: line(
        isSelf ? 'The user' : statement.entity.name,
        statement.observation.text,
        saidBy(statement, who),
      ),
      statement: statement.observation.text,
      score,
      shared: statement.entity.owner === SHARED,
      foreign: isForeign(statement.observation.source, who),
      source: statement.observation.source,
      createdAt: statement.observation.createdAt,
    };
  };

  const payer = ({ tenantId, userId, run, conversationId }: PayingWho): EmbeddingPayer => ({
    tenantId,
    userId,
    run,
    conversationId,
  });

  /** Gives a batch of statements their vectors. Without an embedder nothing is to do. */
  const embedPending = async (who: PayingWho): Promise<number> => {
    if (embedder === null) return 0;
    const pending = await recallStore.pending(personalScope(who), embedder.id);
    if (pending.length === 0) return 0;
    const { vectors } = await embedder.embed(
      payer(who),
      pending.map((one) => one.text),
      { purpose: 'document' },
    );
    await recallStore.saveVectors(
      embedder.id,
      pending.flatMap(({ id }, index) => {
        const vector = vectors[index];
        return vector === undefined ? [] : [{ id, vector }];
      }),
    );
    return pending.length;
  };

  /** Likeness of meaning by observation id; empty without an embedder, when it fails or no limit leaves room for it: words alone then decide. */
  const likeness = async (who: PayingWho, query: string): Promise<Map<string, number>> => {
    if (embedder === null) return new Map();
    try {
      await embedPending(who);
      const { vectors } = await embedder.embed(payer(who), [query], { purpose: 'query' });
      const asked = vectors[0];
      if (asked === undefined) return new Map();
      const stored = await recallStore.vectors(personalScope(who), embedder.id);
      return new Map(stored.map(({ id, vector }) => [id, dot(asked, vector)]));
    } catch {
      return new Map();
    }
  };

  /** Relations of entities that the query names and that no statement tells already. */
  const relationsOf = async (
    who: Who,
    facts: readonly { fact: RecalledFact; named: boolean }[],
  ): Promise<RecalledFact[]> => {
    const scope = personalScope(who);
    const ids = [...new Set(facts.filter(({ named }) => named).map(({ fact }) => fact.entityId))];
    const touching = await relations.touching(scope, ids, clock.now(), 50);
    const ends = await entities.many(scope, [
      ...new Set(touching.flatMap((r) => [r.fromEntityId, r.toEntityId])),
    ]);
    const byId = new Map(ends.map((entity) => [entity.id, entity]));
    return touching.flatMap((relation) => {
      const from = byId.get(relation.fromEntityId);
      const to = byId.get(relation.toEntityId);
      if (!from || !to) return [];
      const told = from.observations.some(
        (o) => o.validTo === null && foldName(o.text).includes(foldName(to.name)),
      );
      if (told) return [];
      const statement = `${relation.relationType.replaceAll('_', ' ')} ${to.name}`;
      const subject = from.subjectUserId === who.userId ? 'The user' : from.name;
      const since = `since ${iso(relation.validFrom).slice(0, 10)}`;
      return [
        {
          entityId: from.id,
          observationId: null,
          entityName: from.name,
          text: line(
            subject,
            statement,
            relation.owner === SHARED ? `shared in the organisation, ${since}` : since,
          ),
          statement,
          score: 0.5,
          shared: relation.owner === SHARED,
          foreign:
            relation.owner === SHARED ||
            [...from.observations, ...to.observations].some((o) => isForeign(o.source, who)),
          source: null,
          createdAt: relation.createdAt,
        },
      ];
    });
  };

  const nothing = new LRUCache<string, { changes: number; at: number }>({ max: 50_000 });

  /** Is there anything to recall? Most users have no memory yet, and each turn of their chats asks twice. */
  const anything = async (who: Who): Promise<boolean> => {
    const key = `${who.tenantId}|${who.userId}`;
    const known = nothing.get(key);
    const changes = entities.changes();
    const now = clock.now();
    if (known !== undefined && known.changes === changes && now - known.at < NOTHING_TTL_MS) return false;
    const found = await recallStore.any(personalScope(who));
    if (!found && alone) nothing.set(key, { changes, at: now });
    return found;
  };

  return {
    embedPending,
    likeness,

    /** Facts that bear on the query, the best first. Of two that contradict, the newer one stands before the older. */
    async recall(who: PayingWho, query: string, limit: number): Promise<RecalledFact[]> {
      if (!(await anything(who))) return [];
      const scope = personalScope(who);
      const asked = readQuery(query);
      const like = await likeness(who, query.slice(0, MAX_QUERY));
      const near = [...like].filter(([, cosine]) => cosine >= MIN_COSINE);
      near.sort((a, b) => b[1] - a[1]);
      const statements = new Map<string, HeldStatement>();
      for (const one of await recallStore.candidates(scope, asked)) statements.set(one.observation.id, one);
      const missing = near.slice(0, 50).flatMap(([id]) => (statements.has(id) ? [] : [id]));
      for (const one of await recallStore.byIds(scope, missing)) statements.set(one.observation.id, one);
      const now = clock.now();
      const terms = new Set(asked.terms);
      const scored = [...statements.values()].map((statement) => {
        const { entity, observation } = statement;
        const score = scoreOf(asked, {
          entityName: entity.name,
          isSelf: entity.subjectUserId === who.userId,
          text: observation.text,
          attribute: observation.attribute,
          category: observation.category,
          importance: decayedImportance(
            { importance: entity.importance, usedCount: entity.usedCount, usedAtMs: entity.usedAt },
            now,
          ),
          cosine: like.get(observation.id) ?? null,
        });
        const named = readQuery(entity.name).terms.some((term) => terms.has(term));
        return { fact: recalled(statement, who, score), named };
      });
      const facts = scored.filter(({ fact }) => fact.score > 0);
      const all = [...facts.map(({ fact }) => fact), ...(await relationsOf(who, facts))];
      all.sort((a, b) => b.score - a.score || b.createdAt - a.createdAt);
      const best = all.slice(0, limit);
      // Use slows fading. The answer does not wait for it, and a lost note of use harms nothing.
      entities.used([...new Set(best.map((fact) => fact.entityId))], now).catch(() => {});
      return best;
    },

    /** What the user wants and likes, and what they are called: for every prompt. */
    async preferences(who: Who, limit = TOLD_PREFERENCES): Promise<RecalledFact[]> {
      if (!(await anything(who))) return [];
      const found = await recallStore.preferences(personalScope(who), limit);
      return found.map((statement) => recalled(statement, who, 1));
    },
  };
};

export type Recall = ReturnType<typeof createRecall>;
