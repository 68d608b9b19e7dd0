import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/surface.tsx';
import styles from './admin.module.css';
import { ABOUT, RIGHTS, ROLES, type Role } from './roles.ts';

type Right = (typeof RIGHTS)[number];

const actionsOf = (right: Right, role: Role): string =>
  right.actions
    .filter(({ others }) => role === 'admin' || others.includes(role))
    .map(({ action }) => action)
    .join(', ');

const COLUMNS: readonly Column<Right>[] = [
  {
    id: 'what',
    header: 'What',
    cell: (row) => <span title={row.resource}>{row.label}</span>,
  },
  ...ROLES.map((role) => ({
    id: role,
    header: role,
    cell: (row: Right) => {
      const may = actionsOf(row, role);
      return may === '' ? <span className={styles.none}>–</span> : may;
    },
  })),
];

/** What each of the five roles may; who has which is changed at the user. */
export const Roles = () => (
  <div className={styles.stack}>
    <Panel title="Roles">
      <dl className={styles.facts}>
        {ROLES.map((role) => [
          <dt key={`${role}-name`}>{role}</dt>,
          <dd key={`${role}-about`}>{ABOUT[role]}</dd>,
        ])}
      </dl>
    </Panel>
    <Panel flush title="What each role may">
      <DataTable
        caption="What each role may"
        columns={COLUMNS}
        rows={{ data: RIGHTS, error: null, retry: () => undefined }}
        rowKey={(row) => row.resource}
        empty={null}
      />
    </Panel>
  </div>
);
