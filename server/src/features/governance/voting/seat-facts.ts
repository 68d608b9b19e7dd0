import type { Db } from '../../../db/db.ts';
import { injectionSigns, type TextRole, textsIn } from '../../../kernel/text-signs.ts';
import type { GovernancePorts } from '../ports.ts';
import { countRejections } from '../proposals.store.ts';
import type { Proposal } from '../types.ts';
import { audienceIn } from './audience.rules.ts';
import type { SeatFacts } from './written.rules.ts';

const DAY_MS = 86_400_000;

/** Longest text that is searched for signs. */
const MAX_SIGN_CHARACTERS = 50_000;
const signsOf = (text: string, role: TextRole): string[] =>
  injectionSigns(text.slice(0, MAX_SIGN_CHARACTERS), role);

/** Everything that a seat weighs, measured by the platform and not taken from the proposal's words. */
export const gatherFacts = async (
  db: Db,
  ports: Pick<GovernancePorts, 'budget' | 'toolHealth'>,
  proposal: Proposal,
  now: number,
): Promise<SeatFacts> => {
  const { tool } = proposal;
  const texts = [proposal.action, proposal.description, ...textsIn(tool?.arguments)];
  return {
    estimatedNano: proposal.estimatedNano,
    risk: proposal.risk,
    flags: proposal.flags,
    descriptionLength: proposal.description.trim().length,
    tool:
      tool === null
        ? null
        : {
            annotations: tool.annotations,
            health: await ports.toolHealth(proposal.tenantId, tool.server, tool.name),
          },
    tainted: proposal.tainted,
    signs: [...new Set(texts.flatMap((text) => signsOf(text, 'proposal')))],
    sourceSigns: [
      ...new Set((proposal.evidence?.sources ?? []).flatMap(({ excerpt }) => signsOf(excerpt, 'evidence'))),
    ],
    audience: audienceIn(textsIn(tool?.arguments)),
    budget: await ports.budget(proposal.tenantId),
    recentRejections: await countRejections(db.read, proposal, now - DAY_MS),
  };
};
