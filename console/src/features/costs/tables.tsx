import type { CostUsage, GetCostUsageQuery } from 'pentarch-sdk';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Count, Money, Percent } from '../../components/figures.tsx';
import { AgentName, Person } from '../../components/person.tsx';
import type { MoreRows } from '../../components/show-more.tsx';
import { Panel } from '../../components/surface.tsx';
import { formatDay } from '../../lib/format.ts';
import styles from './costs.module.css';
import { useFurtherUsers } from './queries.ts';

interface Part {
  name: string;
  /** Spend that belongs to none of them. */
  isNone: boolean;
  costUsd: number;
  share: number | null;
  requests: number;
  tokens: number;
}

interface Figures {
  cost_usd: number;
  requests: number;
  input_tokens: number;
  output_tokens: number;
}

const partsOf = <T extends Figures>(
  list: readonly T[],
  totalUsd: number,
  nameOf: (part: T) => string | null,
  none: string,
): Part[] =>
  list.map((part) => ({
    name: nameOf(part) ?? none,
    isNone: nameOf(part) === null,
    costUsd: part.cost_usd,
    share: totalUsd === 0 ? null : part.cost_usd / totalUsd,
    requests: part.requests,
    tokens: part.input_tokens + part.output_tokens,
  }));

const columns = (header: string, show: (name: string) => ReactNode): Column<Part>[] => [
  {
    id: 'name',
    header,
    cell: (row) => <span className={styles.name}>{row.isNone ? row.name : show(row.name)}</span>,
    sortBy: (row) => row.name,
  },
  {
    id: 'requests',
    header: 'Calls',
    cell: (row) => <Count value={row.requests} />,
    numeric: true,
    minor: true,
    sortBy: (row) => row.requests,
  },
  {
    id: 'tokens',
    header: 'Tokens',
    cell: (row) => <Count value={row.tokens} compact />,
    numeric: true,
    minor: true,
    sortBy: (row) => row.tokens,
  },
  { id: 'share', header: 'Share', cell: (row) => <Percent share={row.share} />, numeric: true },
  {
    id: 'cost',
    header: 'Cost',
    cell: (row) => <Money usd={row.costUsd} />,
    numeric: true,
    sortBy: (row) => row.costUsd,
  },
];

interface PartTableProps {
  title: string;
  header: string;
  parts: readonly Part[];
  /** How a name is shown, where it is an id. */
  show?: (name: string) => ReactNode;
  /** Where there are more than stand in the figures. */
  more?: MoreRows & { total: number };
}

const asItIs = (name: string): ReactNode => name;

const PartTable = ({ title, header, parts, show = asItIs, more }: PartTableProps) => (
  <Panel title={title} flush>
    {more !== undefined && parts.length < more.total && (
      <p className={styles.part}>
        The first {parts.length} of {more.total} people, by what they have cost.
      </p>
    )}
    <DataTable
      caption={title}
      columns={columns(header, show)}
      rows={{ error: null, ...more, data: parts, retry: () => undefined }}
      rowKey={(row) => row.name}
      empty={<p className={styles.none}>Nothing in this period.</p>}
    />
  </Panel>
);

const Users = ({ usage, query }: { usage: CostUsage; query: GetCostUsageQuery }) => {
  const { users, total, rows } = useFurtherUsers(query, usage);
  return (
    <PartTable
      title="By user"
      header="User"
      parts={partsOf(users, usage.total_usd, (part) => part.user_id, 'no user')}
      show={(id) => <Person id={id} />}
      {...(total > (usage.by_user?.length ?? 0) ? { more: { ...rows, total } } : {})}
    />
  );
};

export const Tables = ({ usage, query }: { usage: CostUsage; query: GetCostUsageQuery }) => {
  const total = usage.total_usd;
  return (
    <div className={styles.tables}>
      <PartTable
        title="By agent"
        header="Agent"
        parts={partsOf(usage.by_agent, total, (part) => part.agent_id, 'no agent')}
        show={(id) => <AgentName id={id} />}
      />
      <PartTable
        title="By model"
        header="Model"
        parts={partsOf(usage.by_model, total, (part) => part.model, 'no model')}
      />
      <PartTable
        title="By tool"
        header="Tool"
        parts={partsOf(usage.by_tool, total, (part) => part.tool, 'models (no tool)')}
      />
      {usage.by_user !== undefined && <Users key={JSON.stringify(query)} usage={usage} query={query} />}
      <PartTable
        title="Days"
        header="Day"
        parts={partsOf(usage.by_day, total, (part) => part.date, 'no day')}
        show={formatDay}
      />
    </div>
  );
};
