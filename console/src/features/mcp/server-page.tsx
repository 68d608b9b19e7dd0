import { useNavigate } from '@tanstack/react-router';
import { Check, Ellipsis, LogIn, Pencil, RotateCw } from 'lucide-react';
import type { McpServer, McpTool } from 'pentarch-sdk';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Count, Duration, RelativeTime } from '../../components/figures.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { BackLink, PageHead, Panel } from '../../components/surface.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import { usePathParam, useUrlState } from '../../lib/url-state.ts';
import styles from './mcp.module.css';
import { ServerStatus, SOURCES, TRANSPORTS } from './parts.tsx';
import { useServerActions, useServers, useTools } from './queries.ts';
import { ServerForm } from './server-form.tsx';
import { ServerLog } from './server-log.tsx';
import { ToolDrawer } from './tool-drawer.tsx';
import { ToolTable } from './tool-table.tsx';

const parse = (raw: Readonly<Record<string, unknown>>) => ({
  tab: raw.tab === 'log' ? 'log' : 'tools',
  tool: typeof raw.tool === 'string' ? raw.tool : undefined,
});

/** What may be accepted together: the rest is read and accepted one by one. */
const isPlainlyNew = (tool: McpTool): boolean =>
  tool.policy.pinned === 'new' && !tool.held_back && tool.warnings.length === 0;

const AcceptTools = ({ server, tools }: { server: McpServer; tools: readonly McpTool[] }) => {
  const { acceptAll } = useServerActions();
  const toast = useToast();
  const chosen = tools.filter(isPlainlyNew);
  if (chosen.length === 0) return null;
  const accept = (): void =>
    acceptAll.mutate(
      { name: server.name, tools: chosen },
      {
        onSuccess: ({ unaccepted_tools: left }) =>
          toast.done(
            left === 0 ? 'All tools are accepted' : `Accepted, but for ${left} to be looked at one by one`,
          ),
        onError: toast.failed,
      },
    );
  return (
    <Button busy={acceptAll.isPending} onClick={accept}>
      <Check size={14} aria-hidden="true" /> Accept tools
    </Button>
  );
};

const Actions = ({ server, tools }: { server: McpServer; tools: readonly McpTool[] }) => {
  const { restart, update, remove, authorize } = useServerActions();
  const toast = useToast();
  const navigate = useNavigate();
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  if (server.source !== 'api') return null;
  const signIn = (): void =>
    authorize.mutate(server.name, {
      onSuccess: ({ authorization_url: address }) => {
        if (address === null) toast.done('Signed in without asking anybody');
        else window.open(address, '_blank', 'noopener');
      },
      onError: toast.failed,
    });
  return (
    <>
      {server.transport === 'http' && server.status === 'error' && (
        <Button busy={authorize.isPending} onClick={signIn}>
          <LogIn size={14} aria-hidden="true" /> Sign in there
        </Button>
      )}
      <AcceptTools server={server} tools={tools} />
      {server.enabled && (
        <Button
          busy={restart.isPending}
          onClick={() =>
            restart.mutate(server.name, {
              onSuccess: ({ status }) =>
                toast.done(
                  status === 'connected' ? 'Restarted and connected' : 'Restarted; not connected yet',
                ),
              onError: toast.failed,
            })
          }
        >
          <RotateCw size={14} aria-hidden="true" /> Restart
        </Button>
      )}
      <Button onClick={() => setEditing(true)}>
        <Pencil size={14} aria-hidden="true" /> Change
      </Button>
      <Menu trigger={<IconButton label="More" kind="normal" icon={<Ellipsis size={16} />} />}>
        <MenuItem
          onSelect={() =>
            update.mutate(
              { name: server.name, body: { enabled: !server.enabled } },
              {
                onSuccess: () => toast.done(server.enabled ? 'Switched off' : 'Switched on'),
                onError: toast.failed,
              },
            )
          }
        >
          {server.enabled ? 'Switch off' : 'Switch on'}
        </MenuItem>
        <MenuItem danger onSelect={() => setAsking(true)}>
          Remove …
        </MenuItem>
      </Menu>
      {editing && (
        <ServerForm server={server} onClose={() => setEditing(false)} onSaved={() => setEditing(false)} />
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Remove “${server.title}”?`}
        message="Agents lose its tools at once. Its secrets, and what was accepted of its tools, are forgotten."
        action="Remove server"
        busy={remove.isPending}
        onConfirm={() =>
          // The list without it takes this page away, and with it what `mutate` would call.
          remove.mutateAsync(server.name).then(() => {
            toast.done(`“${server.title}” is removed`);
            void navigate({ to: '/tools' });
          }, toast.failed)
        }
      />
    </>
  );
};

const Facts = ({ server }: { server: McpServer }) => (
  <dl className={styles.facts}>
    <div>
      <dt>Health</dt>
      <dd>
        <ServerStatus status={server.status} />
      </dd>
    </div>
    <div>
      <dt>Connected</dt>
      <dd>
        <RelativeTime iso={server.connected_at} />
      </dd>
    </div>
    <div>
      <dt>Program</dt>
      <dd>
        {server.server_info === null ? '–' : `${server.server_info.name} ${server.server_info.version}`}
      </dd>
    </div>
    <div>
      <dt>From</dt>
      <dd>
        {SOURCES[server.source]}
        {server.transport !== 'builtin' && `, ${TRANSPORTS[server.transport]}`}
      </dd>
    </div>
    <div>
      <dt>Protocol</dt>
      <dd className="number">{server.protocol_version ?? '–'}</dd>
    </div>
    <div>
      <dt>Tools</dt>
      <dd>
        <Count value={server.tool_count} />
      </dd>
    </div>
    <div>
      <dt>Longest call</dt>
      <dd>
        <Duration ms={server.timeout_ms} />
      </dd>
    </div>
  </dl>
);

const Server = ({ server }: { server: McpServer }) => {
  const [{ tab, tool }, setState] = useUrlState(parse);
  const mayManage = useMay('mcp:manage');
  const reads = server.status === 'connected' || server.tool_count > 0;
  const { data, error, refetch } = useTools(server.name, reads);
  const tools = (
    <Panel flush>
      {reads ? (
        <ToolTable
          rows={{ data, error, retry: () => void refetch() }}
          onOpen={(one) => setState({ tool: one.name })}
        />
      ) : (
        <EmptyState icon={RotateCw} title="Its tools are not known">
          {server.status === 'disabled'
            ? 'The server is switched off. Switch it on to see what it offers.'
            : 'The server is not connected. It is tried again by itself; its log says what goes wrong.'}
        </EmptyState>
      )}
    </Panel>
  );
  return (
    <>
      <PageHead title={server.title} actions={mayManage && <Actions server={server} tools={data ?? []} />} />
      {server.last_error !== null && server.status !== 'connected' && (
        <div className={styles.trouble} role="status">
          <strong>Last error</strong>
          <span>{server.last_error}</span>
        </div>
      )}
      <Facts server={server} />
      {mayManage ? (
        <Tabs
          value={tab}
          onChange={(next) => setState({ tab: next })}
          tabs={[
            { value: 'tools', label: 'Tools', content: tools },
            { value: 'log', label: 'Log', content: <ServerLog name={server.name} /> },
          ]}
        />
      ) : (
        tools
      )}
      <ToolDrawer
        server={server}
        tool={data?.find((one) => one.name === tool)}
        onClose={() => setState({ tool: undefined })}
      />
    </>
  );
};

const ServerPage = () => {
  const name = usePathParam('server');
  const { data, error, refetch } = useServers();
  const server = data?.find((one) => one.name === name);
  return (
    <>
      <BackLink to="/tools">All servers</BackLink>
      {server !== undefined ? (
        <Server key={server.name} server={server} />
      ) : (
        <>
          <PageHead title={name} />
          {data !== undefined ? (
            <EmptyState icon={RotateCw} title="There is no such server">
              It may have been removed, or belongs to another organisation.
            </EmptyState>
          ) : error !== null ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton height="20rem" />
          )}
        </>
      )}
    </>
  );
};

export default ServerPage;
