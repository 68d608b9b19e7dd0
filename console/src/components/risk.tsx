import type { Proposal } from 'pentarch-sdk';
import { Badge, type Tone } from './surface.tsx';

const TONES: Readonly<Record<Proposal['risk'], Tone>> = {
  low: 'neutral',
  medium: 'neutral',
  high: 'warn',
  critical: 'bad',
};

export const Risk = ({ risk }: { risk: Proposal['risk'] }) => <Badge tone={TONES[risk]}>{risk} risk</Badge>;
