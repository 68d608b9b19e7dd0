import type { Db, Queryable } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Mailer } from '../../kernel/mail.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { type GovernanceConfig, SEATS } from '../governance/index.ts';
import type { EventBus } from '../realtime/index.ts';
import { activePeople, type RightsHolder } from '../users/index.ts';
import { notificationRoutes } from './routes.ts';
import { createNotifications } from './service.ts';
import { notificationTools } from './tools.ts';

export interface NotificationsDeps extends Pick<Given, 'clock' | 'onError'> {
  config: { ALLOW_SELF_APPROVAL: boolean };
  db: Db;
  events: Pick<EventBus, 'onPublished'>;
  governanceConfig: Pick<GovernanceConfig, 'seats'>;
  identity: { callerFor: CallerFor<Queryable> };
  jobs: Jobs;
  mailer: Mailer;
}

const MAX_EXPORTED = 10_000;

/** Active people who hold a seat of the Pentarchy. */
const seatHoldersIn =
  ({ db, governanceConfig }: Pick<NotificationsDeps, 'db' | 'governanceConfig'>) =>
  async (tenantId: string): Promise<string[]> => {
    const holders = SEATS.map((seat) => governanceConfig.seats[seat].holder);
    if (holders.every((holder) => holder.kind === 'agent')) return [];
    const holds = (person: RightsHolder): boolean =>
      holders.some((holder) =>
        holder.kind === 'role'
          ? person.roles.includes(holder.name)
          : holder.kind === 'user' && holder.name === person.id,
      );
    return (await activePeople(db, tenantId)).filter(holds).map((person) => person.id);
  };

export const notificationsModule = defineModule({
  name: 'notifications',
  needs: ['clock', 'config', 'db', 'events', 'governanceConfig', 'identity', 'jobs', 'mailer', 'onError'],
  build({ config, events, governanceConfig, identity, ...deps }: NotificationsDeps) {
    const { db } = deps;
    const notifications = createNotifications({
      ...deps,
      selfApproval: config.ALLOW_SELF_APPROVAL,
      peopleWith: async (tenantId, permission) =>
        (await activePeople(db, tenantId)).filter((p) => p.permissions.has(permission)).map((p) => p.id),
      seatHolders: seatHoldersIn({ db, governanceConfig }),
      emailOf: async (tenantId, userId) => (await identity.callerFor(tenantId, userId, null))?.email ?? null,
    });
    events.onPublished(notifications.published);
    return {
      service: notifications,
      routes: notificationRoutes(notifications),
      tools: [notificationTools(notifications)],
      personalData: [{ name: 'notifications', ...notifications.personalData(MAX_EXPORTED) }],
      copies: [{ name: 'notices_to_others', erase: notifications.eraseCopies }],
      settled: () => notifications.settled(),
    };
  },
});
