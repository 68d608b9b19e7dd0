import type { Db } from '../../../db/db.ts';
import type { Caller } from '../../../kernel/caller.ts';
import { type Clock, iso, isoOrNull } from '../../../kernel/clock.ts';
import { AppError, conflict, invalid, notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type PageRequest, type PageResult, pageResult } from '../../../kernel/pagination.ts';
import { type Audit, actorOf } from '../../audit/index.ts';
import { parseStrings } from '../principal.ts';
import { hashSecret, newSecret, PERSONAL_TOKEN_PREFIX } from '../secrets.ts';
import {
  type ApiKeyRow,
  deleteKey,
  findKey,
  insertKey,
  type KeyOwner,
  listKeys,
  replaceKey,
} from './store.ts';

export interface KeyView {
  id: string;
  name: string;
  hint: string;
  permissions: string[] | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

export interface NewKey {
  name: string;
  permissions?: string[] | undefined;
  expires_at?: string | null | undefined;
}

export const keyView = (row: ApiKeyRow): KeyView => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  permissions: row.permissions === null ? null : parseStrings(row.permissions),
  created_at: iso(row.created_at),
  expires_at: isoOrNull(row.expires_at),
  last_used_at: isoOrNull(row.last_used_at),
});

export interface KeysOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  apiKeyPrefix: string;
  onDeleted(keyId: string, userId: string): void;
}

const HINT_LENGTH = 4;

/** API keys and personal access tokens: the same thing with another prefix, and scopes only for keys. */
export const createKeys = (options: KeysOptions, kind: KeyOwner['kind']) => {
  const { db, clock, audit } = options;
  const prefix = kind === 'api_key' ? options.apiKeyPrefix : PERSONAL_TOKEN_PREFIX;
  const what = kind === 'api_key' ? 'API key' : 'personal access token';
  const owner = (caller: Caller): KeyOwner => ({ userId: caller.userId, kind });

  const expiry = (text: string | null | undefined): number | null => {
    if (text === null || text === undefined) return null;
    const at = Date.parse(text);
    if (!(at > clock.now())) throw invalid({ field: '/expires_at', reason: 'must be in the future' });
    return at;
  };

  /** A key is narrower than its owner, never wider; a key that makes a key hands on its own limits. */
  const narrowed = (caller: Caller, asked: readonly string[] | undefined): string[] | null => {
    const missing = asked?.find((permission) => !caller.permissions.has(permission));
    if (missing !== undefined) {
      throw new AppError('FORBIDDEN', `you do not have the permission ${missing} yourself`, {
        details: { required: missing },
      });
    }
    if (asked !== undefined) return [...new Set(asked)].sort();
    return caller.whole ? null : [...caller.permissions].sort();
  };

  const ended = () => conflict(`this ${what} was rotated or deleted before, or has expired`);

  const add = async (
    caller: Caller,
    values: { name: string; permissions: string[] | null; expiresAt: number | null },
    requestId: string,
    replaces?: { id: string; expiresAt: number },
  ): Promise<{ row: ApiKeyRow; secret: string }> => {
    const secret = newSecret(prefix);
    const row: ApiKeyRow = {
      id: newId(),
      tenant_id: caller.tenantId,
      user_id: caller.userId,
      kind,
      name: values.name,
      hint: secret.slice(0, prefix.length + HINT_LENGTH),
      secret_hash: hashSecret(secret),
      permissions: values.permissions === null ? null : JSON.stringify(values.permissions),
      created_at: clock.now(),
      expires_at: values.expiresAt,
      last_used_at: null,
      replaced_by: null,
      deleted_at: null,
    };
    await db.write(async (tx) => {
      if (replaces !== undefined) {
        const won = await replaceKey(tx, { ...replaces, replacedBy: row.id }, clock.now());
        if (!won) throw ended();
      }
      await insertKey(tx, row);
      await audit.append(tx, {
        ...actorOf(caller),
        action: replaces === undefined ? `${kind}.created` : `${kind}.rotated`,
        targetType: kind,
        targetId: row.id,
        requestId,
        details: { ...(replaces === undefined ? {} : { replaces: replaces.id }) },
      });
    });
    return { row, secret };
  };

  return {
    async list(caller: Caller, page: PageRequest): Promise<PageResult<KeyView>> {
      const { rows, total } = await listKeys(db.read, owner(caller), page);
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
      return { ...result, items: result.items.map(keyView) };
    },

    /** The secret is in the answer and nowhere else. Throws FORBIDDEN for permissions that the caller lacks. */
    create: (caller: Caller, input: NewKey, requestId: string) =>
      add(
        caller,
        {
          name: input.name,
          permissions: narrowed(caller, input.permissions),
          expiresAt: expiry(input.expires_at),
        },
        requestId,
      ),

    /**
     * A new secret with the same name, rights and end; the old one works for `overlapS` more. Throws CONFLICT for a key
     * that was rotated or deleted before, or has expired.
     */
    async rotate(caller: Caller, id: string, overlapS: number, requestId: string) {
      const old = await findKey(db.read, owner(caller), id);
      if (old === undefined) throw notFound(what);
      const now = clock.now();
      const expired = old.expires_at !== null && old.expires_at <= now;
      if (old.replaced_by !== null || old.deleted_at !== null || expired) throw ended();
      const ends = now + overlapS * 1000;
      const expiresAt = Math.min(ends, old.expires_at ?? ends);
      const permissions = old.permissions === null ? undefined : parseStrings(old.permissions);
      const made = await add(
        caller,
        { name: old.name, permissions: narrowed(caller, permissions), expiresAt: old.expires_at },
        requestId,
        { id, expiresAt },
      );
      options.onDeleted(id, caller.userId);
      return made;
    },

    async remove(caller: Caller, id: string, requestId: string): Promise<void> {
      await db.write(async (tx) => {
        if (!(await deleteKey(tx, owner(caller), id, clock.now()))) throw notFound(what);
        await audit.append(tx, {
          ...actorOf(caller),
          action: `${kind}.deleted`,
          targetType: kind,
          targetId: id,
          requestId,
        });
      });
      options.onDeleted(id, caller.userId);
    },
  };
};

export type Keys = ReturnType<typeof createKeys>;
