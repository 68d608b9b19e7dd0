import type { AgentStatus } from 'pentarch-sdk';
import { StatusPill, type Tone } from '../../components/surface.tsx';

const TONES: Readonly<Record<AgentStatus['state'], Tone>> = {
  idle: 'neutral',
  busy: 'accent',
  degraded: 'warn',
  disabled: 'bad',
};

export const StatePill = ({ state }: { state: AgentStatus['state'] }) => (
  <StatusPill tone={TONES[state]}>{state}</StatusPill>
);
