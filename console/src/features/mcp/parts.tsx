import type { McpServer } from 'pentarch-sdk';
import { StatusPill, type Tone } from '../../components/surface.tsx';

const STATUS: Readonly<Record<McpServer['status'], { tone: Tone; label: string }>> = {
  connected: { tone: 'good', label: 'connected' },
  connecting: { tone: 'accent', label: 'connecting' },
  error: { tone: 'bad', label: 'not connected' },
  disabled: { tone: 'neutral', label: 'switched off' },
};
export const SOURCES: Readonly<Record<McpServer['source'], string>> = {
  builtin: 'part of the platform',
  file: 'configuration file',
  api: 'registered here',
};
export const TRANSPORTS: Readonly<Record<McpServer['transport'], string>> = {
  stdio: 'process (stdio)',
  http: 'HTTP',
  builtin: 'built in',
};

export const ServerStatus = ({ status }: { status: McpServer['status'] }) => (
  <StatusPill tone={STATUS[status].tone}>{STATUS[status].label}</StatusPill>
);
