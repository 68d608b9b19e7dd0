import { Wrench } from 'lucide-react';
import type { McpTool } from 'pentarch-sdk';
import { type Column, DataTable, type Rows } from '../../components/data-table.tsx';
import { Money } from '../../components/figures.tsx';
import { Risk } from '../../components/risk.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Badge, StatusPill } from '../../components/surface.tsx';
import styles from './mcp.module.css';

export const APPROVALS: Readonly<Record<McpTool['policy']['approval'], string>> = {
  auto: 'runs at once',
  pentarchy: 'the five vote',
  human: 'a person decides',
};
const WARNINGS: Readonly<Record<McpTool['warnings'][number], string>> = {
  suspicious_text: 'suspicious text',
  identical_name: 'same name elsewhere',
  lookalike_name: 'look-alike',
};

const Flags = ({ tool }: { tool: McpTool }) => (
  <span className={styles.badges}>
    {tool.held_back && <StatusPill tone="bad">held back</StatusPill>}
    {tool.policy.pinned !== 'accepted' && (
      <Badge tone={tool.policy.pinned === 'changed' ? 'warn' : 'accent'}>{tool.policy.pinned}</Badge>
    )}
    {tool.warnings.map((warning) => (
      <Badge key={warning} tone="warn">
        {WARNINGS[warning]}
      </Badge>
    ))}
  </span>
);

const COLUMNS: readonly Column<McpTool>[] = [
  {
    id: 'name',
    header: 'Tool',
    cell: (row) => (
      <>
        <span className={styles.name}>{row.name}</span>
        <span className={styles.sub}>{row.description}</span>
        {(row.held_back || row.policy.pinned !== 'accepted' || row.warnings.length > 0) && (
          <Flags tool={row} />
        )}
      </>
    ),
    sortBy: (row) => row.name,
  },
  {
    id: 'risk',
    header: 'Risk',
    cell: (row) => <Risk risk={row.policy.risk} />,
    minor: true,
  },
  {
    id: 'approval',
    header: 'Approval',
    cell: (row) =>
      row.policy.approval === 'auto' ? (
        <span className={styles.quiet}>{APPROVALS.auto}</span>
      ) : (
        <Badge tone="warn">{APPROVALS[row.policy.approval]}</Badge>
      ),
    sortBy: (row) => row.policy.approval,
    minor: true,
  },
  {
    id: 'cost',
    header: 'Cost a call',
    cell: (row) => <Money usd={row.policy.cost_usd} />,
    numeric: true,
    sortBy: (row) => row.policy.cost_usd,
  },
];

/** What needs a decision stands first. */
const byNeed = (tools: readonly McpTool[]): readonly McpTool[] =>
  tools.toSorted((a, b) => Number(b.held_back) - Number(a.held_back) || a.name.localeCompare(b.name));

export const ToolTable = ({ rows, onOpen }: { rows: Rows<McpTool>; onOpen: (tool: McpTool) => void }) => (
  <DataTable
    caption="Tools"
    columns={COLUMNS}
    rows={{ ...rows, data: rows.data === undefined ? undefined : byNeed(rows.data) }}
    rowKey={(row) => row.name}
    onOpen={onOpen}
    empty={
      <EmptyState icon={Wrench} title="No tools">
        The server is connected, but offers no tool. Look into its own documentation.
      </EmptyState>
    }
  />
);
