import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChangedRows, createChangedRows } from './changed-rows.ts';

describe('changed rows', () => {
  let folder = '';
  let file = '';
  let writer: DatabaseSync;
  let changed: ChangedRows;

  const exec = (sql: string): void => {
    writer.exec(`begin immediate; ${sql}; commit`);
    changed.committed();
  };
  const add = (id: string, userId: string): void =>
    exec(`insert into conversations values ('${id}', '${userId}', 'new')`);
  /** Whose version `act` moves. */
  const movedBy = (act: () => void): string[] => {
    const people = ['ann', 'bob', 'cyd'];
    const before = people.map((one) => changed.version(one));
    act();
    return people.filter((one, i) => changed.version(one) !== before[i]);
  };

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'changed-rows-'));
    file = path.join(folder, 'store.sqlite');
    writer = new DatabaseSync(file);
    writer.exec(
      'pragma journal_mode = wal; create table conversations (id text primary key, user_id text not null, title text)',
    );
    changed = createChangedRows(writer, { othersEveryMs: 0 });
  });
  afterEach(() => {
    writer.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('moves the version of those whose rows a statement touches, and of nobody else', () => {
    expect(movedBy(() => add('a', 'ann'))).toEqual(['ann']);
    expect(movedBy(() => add('b', 'bob'))).toEqual(['bob']);
    expect(movedBy(() => exec(`update conversations set title = 'x' where id = 'a'`))).toEqual(['ann']);
    expect(movedBy(() => exec(`update conversations set title = 'y' where id = 'nobody’s'`))).toEqual([]);
    expect(movedBy(() => exec(`update conversations set user_id = 'cyd' where id = 'a'`))).toEqual([
      'ann',
      'cyd',
    ]);
    expect(movedBy(() => exec(`delete from conversations`))).toEqual(['bob', 'cyd']);
    expect(movedBy(() => {})).toEqual([]);
  });

  it('moves it at the commit and not before: what is read in between is the old state', () => {
    expect(
      movedBy(() => writer.exec(`begin immediate; insert into conversations values ('a', 'ann', '')`)),
    ).toEqual([]);
    expect(
      movedBy(() => {
        writer.exec('commit');
        changed.committed();
      }),
    ).toEqual(['ann']);
  });

  it('counts all as changed when another process has written', () => {
    const other = new DatabaseSync(file);
    expect(movedBy(() => other.exec(`insert into conversations values ('a', 'ann', '')`))).toEqual([
      'ann',
      'bob',
      'cyd',
    ]);
    expect(movedBy(() => {})).toEqual([]);
    other.close();
  });

  it('forgets whose rows have changed when they are many, and counts all as changed then', () => {
    const few = new DatabaseSync(file);
    const bounded = createChangedRows(few, { maxPeople: 2, othersEveryMs: 0 });
    const write = (id: string, userId: string): void => {
      few.exec(`insert into conversations values ('${id}', '${userId}', '')`);
      bounded.committed();
    };
    write('a', 'ann');
    write('b', 'bob');
    const before = bounded.version('ann');
    write('c', 'cyd');
    expect(bounded.version('ann')).not.toBe(before);
    expect(bounded.version('bob')).toBe(bounded.version('ann'));
    few.close();
  });
});
