import { describe, expect, it } from 'vitest';
import type { Db } from '../../db/db.ts';
import { createMetered } from './metered.ts';
import type { Hold, HoldRequest, LedgerEntry } from './types.ts';

const REQUEST: HoldRequest = {
  tenantId: 't1',
  userId: 'ann',
  agentId: null,
  conversationId: null,
  runId: null,
  requestId: null,
  kind: 'tool',
  worstNano: 10,
  runUsedNano: 0,
};
const ENTRY: LedgerEntry = {
  kind: 'tool',
  model: null,
  tool: 's.t',
  usage: null,
  costNanoUsd: 3,
  estimated: false,
};

const world = (refused?: Error) => {
  const settled: (readonly LedgerEntry[])[] = [];
  const written: string[][] = [];
  const db = {
    write: async (work: (tx: never) => Promise<unknown>) => {
      written.push([]);
      return work({} as never);
    },
  } as unknown as Db;
  const note = (what: string) => void written.at(-1)?.push(what);
  const noting = (what: string) => async (): Promise<void> => note(what);
  const metered = createMetered({
    db,
    costs: {
      hold: async (_tx, request) => {
        if (refused !== undefined) throw refused;
        note('hold');
        const hold: Hold = { ...request, id: 'h', amountNano: 10, counters: [], createdAt: 0 };
        return hold;
      },
      settle: async (_tx, _hold, entries) => {
        note('settle');
        settled.push(entries);
      },
    },
  });
  return { settled, metered, written, noting };
};

describe('metered work', () => {
  it('is settled with what it used, and gives its result', async () => {
    const { settled, metered } = world();
    await expect(
      metered(REQUEST, async (used) => {
        used(ENTRY);
        return 'done';
      }),
    ).resolves.toBe('done');
    expect(settled).toEqual([[ENTRY]]);
  });

  it('is settled where it throws, at once or after it used something', async () => {
    const { settled, metered } = world();
    const broken = new Error('broken');
    await expect(metered(REQUEST, () => Promise.reject(broken))).rejects.toBe(broken);
    await expect(
      metered(REQUEST, async (used) => {
        used(ENTRY);
        throw broken;
      }),
    ).rejects.toBe(broken);
    expect(settled).toEqual([[], [ENTRY]]);
  });

  it('does not begin where the reservation is refused', async () => {
    const refused = new Error('too much');
    const { settled, metered } = world(refused);
    let begun = false;
    const work = async (): Promise<void> => {
      begun = true;
    };
    await expect(metered(REQUEST, work)).rejects.toBe(refused);
    expect(begun).toBe(false);
    expect(settled).toEqual([]);
  });

  it('writes what goes along in the same two transactions, also where the work throws', async () => {
    const { written, metered, noting } = world();
    const along = { reserved: noting('started'), booked: noting('called') };
    await metered(REQUEST, async (used) => used(ENTRY), along);
    await expect(metered(REQUEST, () => Promise.reject(new Error('broken')), along)).rejects.toThrow();
    const both = [
      ['hold', 'started'],
      ['settle', 'called'],
    ];
    expect(written).toEqual([...both, ...both]);
  });

  it('of what costs nothing waits for no write before, and makes none after it where nothing was used', async () => {
    const { written, metered, noting } = world();
    const free = { ...REQUEST, worstNano: 0 };
    await metered(free, async () => {});
    expect(written).toEqual([]);
    await metered(free, async (used) => used(ENTRY));
    await metered(free, async () => {}, { booked: noting('called') });
    expect(written).toEqual([
      ['hold', 'settle'],
      ['hold', 'settle', 'called'],
    ]);
  });
});
