/**
 * What those who vote on a call are shown of the run that asked for it: the person's words, and the texts that the call's
 * arguments may come from. All of it is data of others, bounded; versioned JSON in the proposal's row.
 */
export const EVIDENCE_KINDS = [
  'document',
  'tool_result',
  'memory',
  'context_data',
  'earlier_message',
  'handed_on_task',
] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export interface EvidenceSource {
  kind: EvidenceKind;
  /** Where in the run it stands: the document's title, the tool's name. */
  where: string;
  /** The part around what the call has in common with it. */
  excerpt: string;
  /** How many of the call's distinctive words stand in it. */
  sharedWords: number;
}

export interface CallEvidence {
  v: 1;
  /** The person's message that began the run. */
  asked: string;
  /** How many of the call's distinctive words there are, and how many of them the person said. */
  callWords: number;
  saidByPerson: number;
  /** Those that share most with the call first. */
  sources: EvidenceSource[];
}
