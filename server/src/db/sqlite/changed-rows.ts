import type { DatabaseSync } from 'node:sqlite';

/**
 * Knows whose conversations have changed, so that a page of them can be given out again until then. The engine itself
 * tells: triggers on the writer's connection see every row, whatever statement has written it, and `data_version` tells of
 * commits by another process (a command beside the server), after which all count as changed; asking for it takes locks,
 * so that is done every half second. What a transaction has
 * changed counts from its commit on, when readers can see it.
 */
export interface ChangedRows {
  /** Stays the same as long as none of the person's conversations is added, changed or removed. */
  version(userId: string): number;
  /** To be called right behind every commit, before anything else reads. */
  committed(): void;
}

/** People whose changes are remembered one by one; beyond, all count as changed once. */
const MAX_PEOPLE = 50_000;

/** A command beside the server (`purge`) is seen after so long at the latest. */
const OTHERS_EVERY_MS = 500;

export const createChangedRows = (
  writer: DatabaseSync,
  { maxPeople = MAX_PEOPLE, othersEveryMs = OTHERS_EVERY_MS } = {},
): ChangedRows => {
  const versions = new Map<string, number>();
  const pending = new Set<string>();
  let last = 0;
  /** The version of everybody who is not in `versions`. */
  let floor = 0;

  writer.function('conversation_changed', (userId) => {
    if (typeof userId === 'string') pending.add(userId);
    return null;
  });
  writer.exec(`
    create temp trigger conversation_added after insert on main.conversations
      begin select conversation_changed(new.user_id); end;
    create temp trigger conversation_updated after update on main.conversations
      begin select conversation_changed(new.user_id); end;
    create temp trigger conversation_handed_over after update on main.conversations when old.user_id <> new.user_id
      begin select conversation_changed(old.user_id); end;
    create temp trigger conversation_removed after delete on main.conversations
      begin select conversation_changed(old.user_id); end;
  `);

  const allChanged = (): void => {
    last += 1;
    floor = last;
    versions.clear();
  };

  // Of this connection: its own commits do not move it.
  const dataVersion = writer.prepare('pragma data_version');
  const foreignCommits = (): unknown => dataVersion.get()?.data_version;
  let seen = foreignCommits();
  let lookAgainAt = 0;

  const lookAtOthers = (): void => {
    const now = performance.now();
    if (now < lookAgainAt) return;
    lookAgainAt = now + othersEveryMs;
    const found = foreignCommits();
    if (found !== seen) allChanged();
    seen = found;
  };

  return {
    version(userId) {
      lookAtOthers();
      return versions.get(userId) ?? floor;
    },
    committed() {
      if (pending.size === 0) return;
      if (versions.size + pending.size > maxPeople) allChanged();
      else {
        last += 1;
        for (const userId of pending) versions.set(userId, last);
      }
      pending.clear();
    },
  };
};
