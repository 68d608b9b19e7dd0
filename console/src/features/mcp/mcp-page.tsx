import { useNavigate } from '@tanstack/react-router';
import { Plug, Plus } from 'lucide-react';
import type { McpServer } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Count, RelativeTime } from '../../components/figures.tsx';
import { EmptyState } from '../../components/states.tsx';
import { PageHead, Panel } from '../../components/surface.tsx';
import { useMay } from '../../lib/me.ts';
import { ImportDialog } from './import-dialog.tsx';
import styles from './mcp.module.css';
import { ServerStatus, SOURCES, TRANSPORTS } from './parts.tsx';
import { useServers } from './queries.ts';
import { ServerForm } from './server-form.tsx';

const COLUMNS: readonly Column<McpServer>[] = [
  {
    id: 'name',
    header: 'Server',
    cell: (row) => (
      <>
        <span className={styles.title}>{row.title}</span>
        <span className={styles.sub}>
          {[
            ...(row.name === row.title ? [] : [row.name]),
            ...(row.server_info === null ? [] : [`${row.server_info.name} ${row.server_info.version}`]),
          ].join(' · ')}
        </span>
        {row.last_error !== null && row.status !== 'connected' && (
          <span className={`${styles.sub} ${styles.errorLine}`}>{row.last_error}</span>
        )}
      </>
    ),
    sortBy: (row) => row.title,
  },
  { id: 'status', header: 'Health', cell: (row) => <ServerStatus status={row.status} /> },
  {
    id: 'source',
    header: 'From',
    cell: (row) => (
      <span className={styles.quiet}>
        {SOURCES[row.source]}
        {row.transport !== 'builtin' && `, ${TRANSPORTS[row.transport]}`}
      </span>
    ),
    minor: true,
  },
  {
    id: 'since',
    header: 'Connected',
    cell: (row) => <RelativeTime iso={row.connected_at} />,
    numeric: true,
    minor: true,
    sortBy: (row) => row.connected_at,
  },
  {
    id: 'tools',
    header: 'Tools',
    cell: (row) => <Count value={row.tool_count} />,
    numeric: true,
    sortBy: (row) => row.tool_count,
  },
];

const McpPage = () => {
  const { data, error, refetch } = useServers();
  const mayManage = useMay('mcp:manage');
  const navigate = useNavigate();
  const [making, setMaking] = useState<'server' | 'import' | null>(null);
  const open = (name: string): void => void navigate({ to: '/tools/$server', params: { server: name } });
  const register = (
    <Button kind="primary" onClick={() => setMaking('server')}>
      <Plus size={16} aria-hidden="true" /> Register server
    </Button>
  );
  return (
    <>
      <PageHead
        title="MCP"
        about="Servers whose tools the agents use: whether they are well, what their tools may do, and at what price."
        actions={
          mayManage && (
            <>
              <Button onClick={() => setMaking('import')}>Import …</Button>
              {register}
            </>
          )
        }
      />
      <Panel flush>
        <DataTable
          caption="MCP servers"
          columns={COLUMNS}
          rows={{ data, error, retry: () => void refetch() }}
          rowKey={(row) => row.name}
          onOpen={(row) => open(row.name)}
          empty={
            <EmptyState icon={Plug} title="No servers yet" action={mayManage && register}>
              {mayManage
                ? 'Register one by its address or its command, and its tools are there for the agents.'
                : 'Ask an operator of your organisation to register one.'}
            </EmptyState>
          }
        />
      </Panel>
      {making === 'server' && <ServerForm server={null} onClose={() => setMaking(null)} onSaved={open} />}
      {making === 'import' && <ImportDialog onClose={() => setMaking(null)} />}
    </>
  );
};

export default McpPage;
