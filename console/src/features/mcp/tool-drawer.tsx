import type { McpServer, McpTool } from 'pentarch-sdk';
import { Code } from '../../components/code.tsx';
import { Drawer } from '../../components/dialog.tsx';
import { Money } from '../../components/figures.tsx';
import { Risk } from '../../components/risk.tsx';
import { Badge } from '../../components/surface.tsx';
import { useMay } from '../../lib/me.ts';
import { stableJson } from './diff.ts';
import styles from './mcp.module.css';
import { PolicyEditor } from './policy-editor.tsx';
import { ToolChange, ToolWarnings } from './tool-change.tsx';
import { APPROVALS } from './tool-table.tsx';
import { TryTool } from './try-tool.tsx';

const HINTS: readonly [string, string][] = [
  ['readOnlyHint', 'only reads'],
  ['destructiveHint', 'may destroy'],
  ['idempotentHint', 'may be repeated'],
  ['openWorldHint', 'reaches outside'],
];

const Schema = ({ label, value }: { label: string; value: Record<string, unknown> }) => (
  <details className={styles.details}>
    <summary>{label}</summary>
    <Code value={stableJson(value)} />
  </details>
);

const Content = ({ server, tool }: { server: McpServer; tool: McpTool }) => {
  const mayCall = useMay('mcp:call');
  const mayManage = useMay('mcp:manage');
  const { policy } = tool;
  return (
    <div className={styles.detail}>
      <ToolWarnings tool={tool} />
      <ToolChange server={server.name} tool={tool} />
      <p className={styles.description}>{tool.description === '' ? 'No description.' : tool.description}</p>
      <div className={styles.badges}>
        <Risk risk={policy.risk} />
        <Badge tone={policy.approval === 'auto' ? 'neutral' : 'warn'}>{APPROVALS[policy.approval]}</Badge>
        {policy.flags.map((flag) => (
          <Badge key={flag} tone="warn">
            {flag.replaceAll('_', ' ')}
          </Badge>
        ))}
        {HINTS.filter(([hint]) => tool.annotations?.[hint] === true).map(([hint, words]) => (
          <Badge key={hint}>{words}</Badge>
        ))}
        <span className={styles.meta}>
          <Money usd={policy.cost_usd} /> a call
        </span>
      </div>
      {mayManage && server.source === 'api' && <PolicyEditor server={server} tool={tool} />}
      {tool.held_back ? null : server.status !== 'connected' ? (
        <p className={styles.meta}>The server is not connected: nothing can be called now.</p>
      ) : mayCall ? (
        <TryTool server={server.name} tool={tool} />
      ) : (
        <p className={styles.meta}>Calling it needs the permission mcp:call.</p>
      )}
      <div>
        <Schema label="Schema of its arguments" value={tool.input_schema} />
        {tool.output_schema !== null && <Schema label="Schema of its result" value={tool.output_schema} />}
      </div>
    </div>
  );
};

interface ToolDrawerProps {
  server: McpServer;
  tool: McpTool | undefined;
  onClose: () => void;
}

export const ToolDrawer = ({ server, tool, onClose }: ToolDrawerProps) => (
  <Drawer
    open={tool !== undefined}
    onClose={onClose}
    title={tool?.title ?? tool?.name ?? 'Tool'}
    description={`${tool === undefined ? '' : `${tool.name} of `}${server.title}`}
  >
    {tool !== undefined && <Content key={`${tool.name} ${tool.fingerprint}`} server={server} tool={tool} />}
  </Drawer>
);
