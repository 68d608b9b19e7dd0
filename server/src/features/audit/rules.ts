/**
 * What an audit row proves: its fields in a fixed order, chained to the row before. A changed, removed, inserted or
 * reordered row breaks the chain from there on; the head kept apart shows a cut tail.
 */
export interface AuditFields {
  id: string;
  tenantId: string;
  seq: number;
  actorId: string | null;
  actorType: string;
  action: string;
  outcome: string;
  targetType: string | null;
  targetId: string | null;
  requestId: string | null;
  address: string | null;
  /** JSON text as stored. */
  details: string;
  createdAt: number;
}

/** Hash that the first row of a chain names as its predecessor. */
export const GENESIS = '0'.repeat(64);

/** The text whose SHA-256 is the row's hash. */
export const chainText = (previousHash: string, row: AuditFields): string =>
  JSON.stringify([
    previousHash,
    row.id,
    row.tenantId,
    row.seq,
    row.actorId,
    row.actorType,
    row.action,
    row.outcome,
    row.targetType,
    row.targetId,
    row.requestId,
    row.address,
    row.details,
    row.createdAt,
  ]);

const REPLACED = '\uFFFD';
/** Of more, all of a row are tried together: two to the power of these is what one row may cost. */
const TRIED_APART = 8;

/**
 * What a row may have said whose texts have come from a store that kept U+0000 (kernel/storable.ts): its hash is of the text
 * with it, and proves which of the U+FFFD stand in its place.
 */
export function* earlierForms(row: AuditFields): Generator<AuditFields> {
  const texts = ['actorId', 'action', 'targetType', 'targetId', 'requestId', 'address', 'details'] as const;
  const count = texts.reduce((sum, name) => sum + (row[name]?.split(REPLACED).length ?? 1) - 1, 0);
  if (count === 0) return;
  const all = 2 ** Math.min(count, TRIED_APART) - 1;
  for (let chosen = count > TRIED_APART ? all : 1; chosen <= all; chosen++) {
    let n = 0;
    const form = { ...row };
    const nul = (sign: string): string => (((chosen >> n++) & 1) === 1 || n > TRIED_APART ? '\u0000' : sign);
    for (const name of texts) {
      const value = row[name];
      if (value !== null) Object.assign(form, { [name]: value.replaceAll(REPLACED, nul) });
    }
    yield form;
  }
}

/**
 * How a head stands to the key: `previous` fits the key of before, `unsigned` has no seal, `unknown` one of a key that is not here,
 * `wrong` does not fit, `missing` is not there, or lies before the newest row.
 */
export type HeadState = 'right' | 'previous' | 'wrong' | 'unknown' | 'unsigned' | 'missing';

export const SIGNING_BEGAN = 'audit.signing_began';
export const KEY_CHANGED = 'audit.key_changed';
export const SEAL_BROKEN = 'audit.seal_broken';
const MISSING_HEAD = JSON.stringify({ reason: 'head' });

/**
 * The row before an event whose chain is not as this platform left it; null where it is. `began`: all chains of this platform have
 * been signed once, so that an unsigned head is none of its own.
 */
export const markOf = (
  head: { seal: string | null; state: HeadState },
  began: boolean,
): { action: string; outcome: string; details: string } | null => {
  const from = head.seal?.split('.')[0] ?? null;
  switch (head.state) {
    case 'right':
      return null;
    case 'unsigned':
      return began
        ? { action: SEAL_BROKEN, outcome: 'failed', details: JSON.stringify({ reason: 'unsigned' }) }
        : { action: SIGNING_BEGAN, outcome: 'success', details: '{}' };
    case 'previous':
    case 'unknown':
      return {
        action: KEY_CHANGED,
        outcome: 'success',
        details: JSON.stringify({ from, proved: head.state === 'previous' }),
      };
    case 'missing':
      return { action: SEAL_BROKEN, outcome: 'failed', details: MISSING_HEAD };
    default:
      return { action: SEAL_BROKEN, outcome: 'failed', details: JSON.stringify({ reason: 'seal', from }) };
  }
};

/** A row of the chain as the proof of its signatures sees it. */
export interface SignedRow {
  seq: number;
  action: string;
  details: string;
  /** Id of the key; null for a row that is not signed. */
  key: string | null;
  check: 'right' | 'wrong' | 'unknown' | null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Proves signatures row by row, oldest first. Rows of a key that is not here any more count when a later row, signed by one that
 * counts, says that they were proved before the key was changed.
 */
export const createSignatureProof = () => {
  let signed = 0;
  let unsigned = 0;
  /** First rows of keys that are not known here. */
  const open = new Map<string, number>();
  return {
    /** What is wrong with the row, or null. */
    look(row: SignedRow): string | null {
      if (row.action === SEAL_BROKEN)
        return 'the chain before this row was changed by somebody without the platform’s key';
      if (row.key === null) {
        unsigned += 1;
        return signed > 0 ? 'the row is not signed, and rows before it are' : null;
      }
      if (row.check === 'wrong') return 'the signature does not fit';
      if (signed === 0 && unsigned > 0 && row.action !== SIGNING_BEGAN && row.action !== KEY_CHANGED)
        return 'signing begins here without a row that says so';
      signed += 1;
      if (row.action === KEY_CHANGED) {
        const details = parsed(row.details);
        const from = isRecord(details) ? details.from : null;
        if (isRecord(details) && details.proved === true && typeof from === 'string') open.delete(from);
      }
      if (row.check === 'unknown' && !open.has(row.key)) open.set(row.key, row.seq);
      return null;
    },
    end: () => ({ signed, unsigned, unproved: [...open.values()].sort((a, b) => a - b)[0] ?? null }),
  };
};
