import { iso } from '../../kernel/clock.ts';
import { findUserOfTenant, type PersonalData } from '../users/index.ts';
import type { ScimStore } from './store.ts';

/** What the directory has said of a person. It says it again as long as the person is in it, and of who is erased nothing more. */
export const directoryData = (store: ScimStore): PersonalData => ({
  name: 'directory',
  async exportData({ tenantId, userId }) {
    const row = await store.personOf(store.read, tenantId, userId);
    if (row === undefined) return [];
    const groups = await store.groupsOf(store.read, [row.id]);
    const attributes: unknown = JSON.parse(row.attributes);
    return [
      {
        id: row.id,
        user_name: row.user_name,
        external_id: row.external_id,
        attributes,
        groups: groups.map(({ display_name }) => display_name),
        created_at: iso(row.created_at),
        updated_at: iso(row.updated_at),
      },
    ];
  },
  eraseData: ({ tenantId, userId }) =>
    store.write(async (tx) => {
      const row = await store.personOf(tx, tenantId, userId);
      if (row === undefined) return 0;
      // Of a deactivated account name and address go too: with its record the directory could write them again.
      if ((await findUserOfTenant(tx, tenantId, userId))?.status === 'deactivated') {
        await store.deletePerson(tx, tenantId, row.id);
        return 1;
      }
      if (row.attributes === '{}') return 0;
      await store.updatePerson(tx, { ...row, attributes: '{}', version: row.version + 1 });
      return 1;
    }),
});
