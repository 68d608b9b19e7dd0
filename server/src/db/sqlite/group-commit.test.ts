import { describe, expect, it } from 'vitest';
import { createGroupCommit } from './group-commit.ts';

describe('group commit', () => {
  const steps: string[] = [];
  const connection = { step: (sql: string) => void steps.push(sql) };
  const giving = <T>(result: T, committed = () => {}) => Promise.resolve({ result, committed });

  it('answers and tells after the disk has it, of a deferred write after the commit, and syncs once for a group', async () => {
    const told: string[] = [];
    const emitted: string[] = [];
    const syncs: (() => void)[] = [];
    const sync = () => new Promise<void>((resolve) => syncs.push(resolve));
    let commits = 0;
    const group = createGroupCommit(connection, sync, () => {
      commits += 1;
    });
    const write = (name: string, deferred = false) =>
      group.write(() => giving(null, () => emitted.push(name)), { deferred }).then(() => told.push(name));
    const all = [write('a'), write('deferred', true), write('b')];
    while (syncs.length === 0) await new Promise((next) => setImmediate(next));
    expect(emitted).toEqual(['deferred']);
    expect(told).toEqual(['deferred']);
    // What comes meanwhile is the next group.
    all.push(write('c'));
    syncs[0]?.();
    while (syncs.length === 1) await new Promise((next) => setImmediate(next));
    expect(emitted).toEqual(['deferred', 'a', 'b']);
    expect(told).toEqual(['deferred', 'a', 'b']);
    syncs[1]?.();
    await Promise.all(all);
    await group.idle();
    expect(told).toEqual(['deferred', 'a', 'b', 'c']);
    expect(commits).toBe(2);
    expect(steps.filter((step) => step === 'commit')).toHaveLength(2);
  });

  it('takes what the next turns of the loop bring into the same commit', async () => {
    const before = steps.filter((step) => step === 'commit').length;
    const group = createGroupCommit(connection, null, () => {});
    const first = group.write(() => giving('a'), {});
    await new Promise((next) => setImmediate(next));
    const second = group.write(() => giving('b'), {});
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
    expect(steps.filter((step) => step === 'commit').length - before).toBe(1);
  });

  it('fails the writes that the disk has refused, and goes on with the next', async () => {
    let broken = true;
    const group = createGroupCommit(
      connection,
      () => (broken ? Promise.reject(new Error('EIO')) : Promise.resolve()),
      () => {},
    );
    await expect(group.write(() => giving(1), {})).rejects.toThrow('EIO');
    broken = false;
    await expect(group.write(() => giving(2), {})).resolves.toBe(2);
  });
});
