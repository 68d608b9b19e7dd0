import { iso } from '../../kernel/clock.ts';
import type { PersonalData } from '../users/index.ts';
import type { ScimStore } from './store.ts';

/** What the directory has said of a person. It says it again as long as the person is in it. */
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
      if (row === undefined || row.attributes === '{}') return 0;
      await store.updatePerson(tx, { ...row, attributes: '{}', version: row.version + 1 });
      return 1;
    }),
});
