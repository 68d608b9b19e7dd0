import type { Db, Queryable } from '../../../db/db.ts';
import type { Caller } from '../../../kernel/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { AppError, conflict, invalid } from '../../../kernel/errors.ts';
import type { AccountRights } from '../../../kernel/grants.ts';
import type { Mailer } from '../../../kernel/mail.ts';
import { type Audit, actorOf } from '../../audit/index.ts';
import {
  findUser,
  findUserByEmail,
  foldEmail,
  isBeyond,
  mayMoreThan,
  type UserRow,
} from '../../users/index.ts';
import { deleteKeysOfUser } from '../keys/store.ts';
import {
  deleteLinksOfUser,
  findLink,
  findLinkOfUser,
  type OneTimeLinkRow,
  replaceLink,
  takeLink,
} from '../links/store.ts';
import { deleteMachineKeysBeyond } from '../machine-keys/store.ts';
import { hashPassword, verifyPassword } from '../passwords/hash.ts';
import type { Lockout } from '../passwords/lockout.ts';
import { assertWholeAccount, suspended } from '../principal.ts';
import {
  browserSessionOf,
  destroyBrowserSessions,
  destroyRecordsOfAccount,
  destroyRecordsOfGrant,
} from '../provider/store.ts';
import { hashSecret, newSecret } from '../secrets.ts';
import { closeSessionsOfUser } from '../sessions/store.ts';
import type { Origin } from '../sessions/types.ts';
import { findPrincipal, revokeAccessTokensOfUser } from '../store.ts';
import { greeting } from './rules.ts';
import { setPassword } from './store.ts';

/** Passwords, the links that set them, and the end of an account's access. */

export type LinkPurpose = 'invitation' | 'password_reset';

const LINK_LIFE_MS: Readonly<Record<LinkPurpose, number>> = {
  invitation: 7 * 86_400_000,
  password_reset: 3_600_000,
};

const FORGOT_EVERY_MS = 60_000;

export const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 1024;
/** What a link's new password is called in refusals. */
export const PASSWORD_FIELD = '/password';

/** What examples have in place of a password. */
const EXAMPLE = /^change[-_ ]?me[\d!]*$/i;

/** Length is what counts (NIST SP 800-63B, 3.1.1.2); throws VALIDATION_ERROR naming `field`. */
export const assertPassword = (password: string, field: string): void => {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH)
    throw invalid({ field, reason: `must have at least ${MIN_PASSWORD_LENGTH} characters` });
  if (password.length > MAX_PASSWORD_LENGTH)
    throw invalid({ field, reason: `must have at most ${MAX_PASSWORD_LENGTH} characters` });
  if (EXAMPLE.test(password))
    throw invalid({ field, reason: 'is the text of examples: choose one of your own' });
  if (password.trim() === '') throw invalid({ field, reason: 'must not be blank' });
};

export interface AccountsOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  mailer: Mailer;
  lockout: Lockout;
  publicUrl: () => string;
  /** Address of the external provider; null with the embedded one. */
  externalIssuer: string | null;
  /** What is remembered of the account's tokens is void. */
  forgetUser(userId: string): void;
  log: { warn(fields: Record<string, unknown>, message: string): void };
}

const mailText = (purpose: LinkPurpose, name: string, url: string): { subject: string; text: string } =>
  purpose === 'invitation'
    ? {
        subject: 'Your invitation to Pentarch',
        text: `${greeting(name)}\n\nyou have been invited to Pentarch. Choose your password here within seven days:\n\n${url}\n`,
      }
    : {
        subject: 'Your new password for Pentarch',
        text: `${greeting(name)}\n\nsomebody, probably you, asked for a new password. Choose it here within an hour:\n\n${url}\n\nIf it was not you, nothing needs to be done.\n`,
      };

export const createAccounts = (options: AccountsOptions) => {
  const { db, clock, audit, mailer } = options;

  /** With an external provider nobody has a password here, and the pages that links lead to are not served. */
  const assertOwnPasswords = (): void => {
    if (options.externalIssuer === null) return;
    throw conflict(`people sign in at the identity provider ${options.externalIssuer} (IDP_URL)`, {
      idp_url: options.externalIssuer,
    });
  };

  /** Ends every way in but the password: sessions, tokens, keys, browser sessions. Keys stay with `keepKeys`. */
  const endAccess = async (
    tx: Queryable,
    userId: string,
    how: { keepKeys: boolean; exceptSessionId: string | null },
  ): Promise<void> => {
    const at = clock.now();
    const { exceptSessionId } = how;
    const ended = await closeSessionsOfUser(tx, userId, at, exceptSessionId);
    if (exceptSessionId === null) {
      await revokeAccessTokensOfUser(tx, userId, at);
      await destroyRecordsOfAccount(tx, userId);
    } else {
      // Browsers that stay signed in could fetch themselves new tokens.
      await destroyBrowserSessions(tx, userId, await browserSessionOf(tx, exceptSessionId));
      for (const sessionId of ended) await destroyRecordsOfGrant(tx, sessionId);
    }
    if (!how.keepKeys) await deleteKeysOfUser(tx, userId);
    await deleteLinksOfUser(tx, userId);
  };

  const linkUrl = (secret: string): string => `${options.publicUrl()}/oauth/v2/links/${secret}`;

  /** A link for one use, inside the transaction of what it belongs to. */
  const addLink = async (
    tx: Queryable,
    user: Pick<UserRow, 'id' | 'roles' | 'permissions'>,
    purpose: LinkPurpose,
    maker: string | null,
  ): Promise<string> => {
    assertOwnPasswords();
    const secret = newSecret('lnk_');
    const now = clock.now();
    await replaceLink(tx, {
      secret_hash: hashSecret(secret),
      user_id: user.id,
      purpose,
      roles: user.roles,
      permissions: user.permissions,
      maker_permissions: maker,
      created_at: now,
      expires_at: now + LINK_LIFE_MS[purpose],
    });
    return linkUrl(secret);
  };

  /** Sends the link where mail is set up; a mail server that fails does not undo what was done. */
  const mailLink = async (user: { email: string; name: string }, purpose: LinkPurpose, url: string) => {
    try {
      await mailer.send({ to: user.email, ...mailText(purpose, user.name, url) });
    } catch (error) {
      options.log.warn({ err: error }, 'a mail with a link could not be sent');
    }
  };

  const voidLink = () =>
    new AppError('NOT_FOUND', 'this link is unknown, was used before or has expired; ask for a new one');

  /** A suspended tenant is shut to everybody, links included. */
  const assertOpen = async (db: Queryable, userId: string): Promise<void> => {
    if ((await findPrincipal(db, userId))?.tenantStatus !== 'active') throw suspended();
  };

  const isOpen = (link: OneTimeLinkRow | undefined): link is OneTimeLinkRow =>
    link !== undefined && link.expires_at > clock.now();

  /** The account has grown since the link was made: whoever made it might not have been given one to what it is now. */
  const hasGrown = (tx: Queryable, link: OneTimeLinkRow, user: UserRow): Promise<boolean> | boolean =>
    link.roles === null || link.permissions === null
      ? user.updated_at > link.created_at
      : mayMoreThan(tx, { roles: link.roles, permissions: link.permissions }, user);

  /** Whose link it is; throws NOT_FOUND for one that is void, FORBIDDEN in a suspended tenant. */
  const readLink = async (secret: string): Promise<{ user: UserRow; purpose: string; expiresAt: number }> => {
    const link = await findLink(db.read, hashSecret(secret));
    const user = isOpen(link) ? await findUser(db.read, link.user_id) : undefined;
    if (!isOpen(link) || user === undefined || user.status === 'deactivated') throw voidLink();
    if (await hasGrown(db.read, link, user)) throw voidLink();
    await assertOpen(db.read, user.id);
    return { user, purpose: link.purpose, expiresAt: link.expires_at };
  };

  return {
    endAccess,
    endMachineKeys: (tx: Queryable, userId: string, rights: AccountRights): Promise<number> =>
      deleteMachineKeysBeyond(tx, userId, (maker) => isBeyond(maker, rights)),
    endLinks: (tx: Queryable, userId: string): Promise<number> => deleteLinksOfUser(tx, userId),
    addLink,
    mailLink,
    mailDelivers: mailer.delivers,
    hashPassword,
    assertPassword(password: string, field: string): void {
      assertOwnPasswords();
      assertPassword(password, field);
    },
    assertOwnPasswords,
    changed: (userId: string): void => options.forgetUser(userId),

    readLink,

    /** Sets the password that a link is for, and says whose; the link is used up, and every session of the account ends. */
    async useLink(secret: string, password: string, origin: Origin): Promise<string> {
      assertPassword(password, PASSWORD_FIELD);
      // A made-up link must not cost a hash; whoever has the secret of one learns nothing by the time.
      await readLink(secret);
      const passwordHash = await hashPassword(password);
      const userId = await db.write(async (tx) => {
        const link = await findLink(tx, hashSecret(secret));
        const before = isOpen(link) ? await findUser(tx, link.user_id) : undefined;
        if (!isOpen(link) || before === undefined) throw voidLink();
        await assertOpen(tx, before.id);
        const maker = link.maker_permissions;
        // The account first and its link then, as a change of its roles does: neither waits for the other for ever.
        const user = await setPassword(tx, { userId: before.id, passwordHash, maker, at: clock.now() });
        if (user === undefined || user.status === 'deactivated') throw voidLink();
        if (await hasGrown(tx, link, { ...user, updated_at: before.updated_at })) throw voidLink();
        if ((await takeLink(tx, hashSecret(secret))) === undefined) throw voidLink();
        await endAccess(tx, user.id, { keepKeys: true, exceptSessionId: null });
        await audit.append(tx, {
          tenantId: user.tenant_id,
          actorId: user.id,
          actorType: 'user',
          action: link.purpose === 'invitation' ? 'user.invitation_accepted' : 'user.password_reset',
          targetType: 'user',
          targetId: user.id,
          requestId: origin.requestId,
          address: origin.address,
        });
        return user.id;
      });
      options.forgetUser(userId);
      return userId;
    },

    /**
     * The link goes by mail only. Whoever asks does not wait for this: neither the answer nor its time may tell whether the
     * account exists.
     */
    async forgotPassword(email: string): Promise<void> {
      const user = await findUserByEmail(db.read, email);
      if (user === undefined || user.status !== 'active' || user.type !== 'person') return;
      if ((await findPrincipal(db.read, user.id))?.tenantStatus !== 'active') return;
      // A form that anybody can send must not fill somebody's mailbox.
      const last = await findLinkOfUser(db.read, user.id, 'password_reset');
      if (last !== undefined && clock.now() - last.created_at < FORGOT_EVERY_MS) return;
      if (!mailer.delivers) {
        options.log.warn({ user_id: user.id }, 'a password reset was asked for, but no mail server is set');
      }
      const url = await db.write((tx) => addLink(tx, user, 'password_reset', null));
      await mailLink(user, 'password_reset', url);
    },

    /** Changes the caller's own password; other sessions end, the caller's goes on. */
    async changePassword(
      caller: Caller,
      input: { current_password: string; new_password: string },
      origin: Origin,
    ): Promise<void> {
      assertWholeAccount(caller);
      assertPassword(input.new_password, '/new_password');
      const user = await findUser(db.read, caller.userId);
      if (user === undefined || user.password_hash === null) {
        throw conflict('this account signs in without a password');
      }
      const who = { email: foldEmail(user.email), address: origin.address };
      const right = await options.lockout.attempt(who, async () =>
        (await verifyPassword(user.password_hash, input.current_password)) ? true : null,
      );
      if (right === null) throw invalid({ field: '/current_password', reason: 'is wrong' });
      const passwordHash = await hashPassword(input.new_password);
      await db.write(async (tx) => {
        const previousHash = user.password_hash ?? '';
        const next = await setPassword(tx, { userId: user.id, passwordHash, previousHash, at: clock.now() });
        if (next === undefined) throw conflict('the password has just been changed; try again');
        await endAccess(tx, user.id, { keepKeys: true, exceptSessionId: caller.sessionId });
        await audit.append(tx, {
          ...actorOf(caller),
          action: 'user.password_changed',
          targetType: 'user',
          targetId: user.id,
          requestId: origin.requestId,
          address: origin.address,
        });
      });
      options.forgetUser(user.id);
    },
  };
};

export type Accounts = ReturnType<typeof createAccounts>;
