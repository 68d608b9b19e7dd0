import type { Db } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso, isoOrNull } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import type { NewEvent, PlatformEvent } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { Mailer } from '../../kernel/mail.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { tellsOf } from '../../kernel/told-records.ts';
import { emailKind } from './jobs.ts';
import {
  type Audience,
  audienceOf,
  closedBy,
  cut,
  DEFAULT_CHANNELS,
  MAX_BODY_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  type Notice,
  noticeOf,
  seatNotice,
  waitingNotice,
} from './rules.ts';
import {
  CATEGORIES,
  type Category,
  type Channels,
  LEVELS,
  type ListNotifications,
  type Notification,
  type PatchPreferences,
  type Preferences,
} from './schema.ts';
import {
  closeNotices,
  countUnread,
  deleteNotificationsOf,
  dropNotices,
  type InboxOwner,
  insertNotification,
  listNotifications,
  markAllRead,
  markRead,
  type NotificationRow,
  noticesToOthers,
  notificationById,
  preferencesOf,
  savePreferences,
} from './store.ts';

/** Rows that are looked at in one step when copies of erased records are sought. */
const COPIES_AT_ONCE = 500;

export interface NotificationsOptions {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  mailer: Mailer;
  /** Active people of the tenant who have the permission now. */
  peopleWith(tenantId: string, permission: string): Promise<readonly string[]>;
  /** Active people who hold a seat of the Pentarchy. */
  seatHolders(tenantId: string): Promise<readonly string[]>;
  /** Whether people decide on what they asked for themselves. */
  selfApproval: boolean;
  /** E-mail of an active account; null where there is nobody to write to. */
  emailOf(tenantId: string, userId: string): Promise<string | null>;
  onError(error: unknown, message: string): void;
}

const ownerOf = (caller: Caller): InboxOwner => ({ tenantId: caller.tenantId, userId: caller.userId });

const view = (row: NotificationRow): Notification => ({
  id: row.id,
  category: CATEGORIES.find((c) => c === row.category) ?? 'system',
  level: LEVELS.find((l) => l === row.level) ?? 'info',
  title: row.title,
  body: row.body,
  data: JSON.parse(row.data) as Record<string, unknown>,
  read: row.read_at !== null,
  read_at: isoOrNull(row.read_at),
  created_at: iso(row.created_at),
});

/**
 * To connections it goes as the person's alone: nobody reads another one's inbox, not even an admin. Whoever chooses the channel
 * `webhook` wants the webhooks of the organisation to have it (`own`).
 */
const toldOf = (row: NotificationRow, reach: 'person' | 'own'): NewEvent => ({
  type: 'notification',
  tenantId: row.tenant_id,
  userId: row.user_id,
  reach,
  permission: 'notifications:read',
  data: { ...view(row) },
});

const isOn = (value: unknown): value is boolean => typeof value === 'boolean';

/** Stored choices over the defaults; what a later release knows besides is left out. */
const channelsFrom = (stored: string | null): Record<Category, Channels> => {
  const parsed: unknown = JSON.parse(stored ?? '{}');
  const chosen = (category: Category): Channels => {
    const given: unknown =
      typeof parsed === 'object' && parsed !== null && category in parsed
        ? (parsed as Record<string, unknown>)[category]
        : null;
    const channels = { ...DEFAULT_CHANNELS[category] };
    if (typeof given !== 'object' || given === null) return channels;
    for (const name of ['inbox', 'email', 'webhook'] as const) {
      const value: unknown = (given as Record<string, unknown>)[name];
      if (isOn(value)) channels[name] = value;
    }
    return channels;
  };
  return {
    tasks: chosen('tasks'),
    proposals: chosen('proposals'),
    costs: chosen('costs'),
    documents: chosen('documents'),
    agents: chosen('agents'),
    system: chosen('system'),
  };
};

export const createNotifications = (options: NotificationsOptions) => {
  const { db, clock, jobs, mailer } = options;
  const writing = new Set<Promise<void>>();
  /** The last that is being done for a proposal: its end is told behind its beginning. */
  const lines = new Map<string, Promise<void>>();

  jobs.work(
    emailKind,
    { concurrency: 2 },
    {
      async run(payload) {
        const row = await notificationById(db.read, payload.notification_id);
        if (row === undefined) return;
        const to = await options.emailOf(row.tenant_id, row.user_id);
        if (to === null) return;
        // A title may hold what a person or a model wrote: it must not make headers.
        const subject = row.title.replaceAll(/[\r\n]+/g, ' ');
        await mailer.send({ to, subject, text: row.body === '' ? row.title : `${row.title}\n\n${row.body}` });
      },
    },
  );

  /** Tells a person by the channels that they chose for the category. Null when no channel is on, or told before. */
  const notify = async (
    owner: InboxOwner,
    notice: Notice,
    eventId: string | null,
  ): Promise<Notification | null> => {
    const channels = channelsFrom(await preferencesOf(db.read, owner.userId))[notice.category];
    if (!channels.inbox && !channels.email && !channels.webhook) return null;
    const now = clock.now();
    const row: NotificationRow = {
      id: newId(),
      tenant_id: owner.tenantId,
      user_id: owner.userId,
      category: notice.category,
      level: notice.level,
      title: cut(notice.title, MAX_TITLE_CHARACTERS),
      body: cut(notice.body, MAX_BODY_CHARACTERS),
      data: JSON.stringify(notice.data),
      event_id: eventId,
      // Without the inbox it is kept for the mail, and counts as read.
      read_at: channels.inbox ? null : now,
      created_at: now,
    };
    return db.write(async (tx) => {
      if (!(await insertNotification(tx, row))) return null;
      if (channels.email)
        await jobs.enqueue(tx, emailKind, { v: 1, notification_id: row.id, tenant_id: row.tenant_id });
      if (channels.webhook) await tx.emit(toldOf(row, 'own'), { connections: false });
      if (channels.inbox) await tx.emit(toldOf(row, 'person'), { webhooks: false });
      return view(row);
    });
  };

  const tell = async (
    event: PlatformEvent,
    notice: Notice | null,
    audience: Audience | null,
  ): Promise<void> => {
    const { tenantId, userId } = event;
    const told = new Map<string, Notice>();
    if (notice !== null && userId !== null) told.set(userId, notice);
    if (audience === 'seat_holders') {
      for (const id of await options.seatHolders(tenantId))
        if (id !== userId) told.set(id, seatNotice(event));
    } else if (audience !== null && notice !== null) {
      // Of what waits for a decision, who asked for it is told that it waits, unless the decision is theirs too.
      const isOthers = event.type.startsWith('proposal.') && userId !== null;
      if (isOthers) told.set(userId, waitingNotice(event, notice));
      for (const id of await options.peopleWith(tenantId, audience.permission))
        if (!isOthers || id !== userId || options.selfApproval) told.set(id, notice);
    }
    for (const [id, text] of told) await notify({ tenantId, userId: id }, text, text.key ?? event.id);
  };

  /** What was asked for and is over is no longer unread with anybody, and open pages hear of it. */
  const close = (event: PlatformEvent, keys: readonly string[]): Promise<void> =>
    db.write(async (tx) => {
      for (const row of await closeNotices(tx, event.tenantId, keys, clock.now()))
        await tx.emit(toldOf(row, 'person'), { webhooks: false });
    });

  /** Behind what is being done for the same proposal. */
  const inLine = (event: PlatformEvent, work: () => Promise<void>): Promise<void> => {
    const line = event.type.startsWith('proposal.') ? `${event.tenantId} ${String(event.data.id)}` : null;
    if (line === null) return work();
    const done = (lines.get(line) ?? Promise.resolve()).catch(() => {}).then(work);
    lines.set(line, done);
    const leave = (): void => {
      if (lines.get(line) === done) lines.delete(line);
    };
    done.then(leave, leave);
    return done;
  };

  const preferences = async (caller: Caller): Promise<Preferences> => ({
    categories: channelsFrom(await preferencesOf(db.read, caller.userId)),
    email: caller.email,
    email_available: mailer.delivers,
  });

  return {
    /** For the bus: makes notices of events for their owners and whoever else is concerned. */
    published(event: PlatformEvent): void {
      const notice = noticeOf(event);
      const audience = audienceOf(event);
      const over = closedBy(event);
      if (over.length === 0 && audience === null && (notice === null || event.userId === null)) return;
      const work = inLine(event, async () => {
        if (over.length > 0) await close(event, over);
        await tell(event, notice, audience);
      })
        .catch((error: unknown) => options.onError(error, 'a notification could not be made'))
        .finally(() => writing.delete(work));
      writing.add(work);
    },
    /** Resolves when what was published so far is stored. */
    async settled(): Promise<void> {
      while (writing.size > 0) await Promise.all(writing);
    },

    notify: (caller: Caller, notice: Notice): Promise<Notification | null> =>
      notify(ownerOf(caller), notice, null),

    async list(caller: Caller, query: ListNotifications): Promise<PageResult<Notification>> {
      const page = pageRequest(query);
      const { rows, total } = await listNotifications(
        db.read,
        ownerOf(caller),
        { unread: query.unread === true, category: query.category },
        page,
      );
      return pageResult(page, rows.map(view), total, (item) => ({
        createdAt: Date.parse(item.created_at),
        id: item.id,
      }));
    },

    unread: async (caller: Caller): Promise<{ unread: number }> => ({
      unread: await countUnread(db.read, ownerOf(caller)),
    }),

    async read(caller: Caller, id: string): Promise<Notification> {
      const row = await db.write((tx) => markRead(tx, ownerOf(caller), id, clock.now()));
      if (row === undefined) throw notFound('notification');
      return view(row);
    },

    readAll: (caller: Caller): Promise<void> =>
      db.write((tx) => markAllRead(tx, ownerOf(caller), clock.now())),

    preferences,

    async setPreferences(caller: Caller, body: PatchPreferences): Promise<Preferences> {
      await db.write(async (tx) => {
        const current = channelsFrom(await preferencesOf(tx, caller.userId));
        for (const category of CATEGORIES) Object.assign(current[category], body.categories[category] ?? {});
        await savePreferences(tx, {
          user_id: caller.userId,
          tenant_id: caller.tenantId,
          preferences: JSON.stringify(current),
          updated_at: clock.now(),
        });
      });
      return preferences(caller);
    },

    /** What others were told of these records goes, for the erasure of a person's data; how many. */
    async eraseCopies(person: InboxOwner, recordIds: ReadonlySet<string>): Promise<number> {
      let erased = 0;
      for (let after = ''; ; ) {
        const rows = await noticesToOthers(db.read, person, after, COPIES_AT_ONCE);
        const ids = rows.filter((row) => tellsOf(JSON.parse(row.data), recordIds)).map((row) => row.id);
        if (ids.length > 0) erased += await db.write((tx) => dropNotices(tx, ids));
        const last = rows.at(-1);
        if (last === undefined || rows.length < COPIES_AT_ONCE) return erased;
        after = last.id;
      }
    },

    /** For the export and the erasure of a person's data. */
    personalData: (limit: number) => ({
      async exportData(person: InboxOwner): Promise<Notification[]> {
        const page = { page: 1, limit, after: null };
        return (await listNotifications(db.read, person, { unread: false }, page)).rows.map(view);
      },
      async eraseData(person: InboxOwner): Promise<number> {
        return db.write((tx) => deleteNotificationsOf(tx, person));
      },
    }),
  };
};

export type Notifications = ReturnType<typeof createNotifications>;
