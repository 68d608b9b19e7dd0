import { type NanoUsd, nanoToUsd } from '../../kernel/money.ts';
import { APPROVALS, type Approval, type Flag, type Risk } from '../../kernel/tool-policy.ts';

/** Who must agree to an action (contract, section 7). Pure. */

/** `requester`: the person who asked. They answer before anybody else is asked. */
type TaintedApproval = Approval | 'requester';

export interface ApprovalLimits {
  /** Up to this estimated cost an action runs at once. */
  autoNano: NanoUsd;
  /** Up to this the Pentarchy decides, over it a person. */
  pentarchyNano: NanoUsd;
  /** The least approval that a risk asks for. */
  byRisk: Readonly<Record<Risk, Approval>>;
  /** What a destructive tool without a policy asks for. */
  destructive: Approval;
  /** What a call that leaves the platform asks for once untrusted content is in the run and no policy allows it. */
  taintedOpenWorld: TaintedApproval;
  /** The same of a call that changes the person's own things or writes to people. */
  taintedPersonal: TaintedApproval;
}

interface ApprovalReasons {
  estimatedNano: NanoUsd;
  /** Null where nobody has said: then what the tool declares counts alone. */
  risk: Risk | null;
  flags: readonly Flag[];
  /** An operator's word on the tool. */
  approval: Approval | null;
  destructive: boolean;
  /** What a call in a run with untrusted content does; null outside of such runs, and where an operator allows it. */
  tainted: 'open_world' | 'personal' | null;
}

export interface RequiredApproval {
  approval: Approval;
  /** Why, with the number or word that led to it. */
  reason: string;
  /** Why the person who asked is to answer first; null: they are not asked. */
  requester: string | null;
}

const strictness = (approval: Approval): number => APPROVALS.indexOf(approval);

const TAINTED = {
  open_world: 'the call leaves the platform, and untrusted content is in the conversation',
  personal:
    'the call changes your own things or writes to people, and untrusted content is in the conversation',
} as const;

const usd = (nano: NanoUsd): string => `${nanoToUsd(nano)} USD`;

/** The strictest of all that asks for an approval; of equals the first named. */
export const requiredApproval = (input: ApprovalReasons, limits: ApprovalLimits): RequiredApproval => {
  const { estimatedNano, flags } = input;
  const asked: Omit<RequiredApproval, 'requester'>[] = [
    { approval: 'auto', reason: 'nothing asks for an approval' },
  ];
  if (flags.length > 0) {
    asked.push({ approval: 'human', reason: `marked ${flags.join(', ')}: a person decides` });
  }
  if (estimatedNano > limits.pentarchyNano) {
    asked.push({
      approval: 'human',
      reason: `estimated cost ${usd(estimatedNano)} is over ${usd(limits.pentarchyNano)}: a person decides`,
    });
  } else if (estimatedNano > limits.autoNano) {
    asked.push({
      approval: 'pentarchy',
      reason: `estimated cost ${usd(estimatedNano)} is over ${usd(limits.autoNano)}: the Pentarchy decides`,
    });
  }
  if (input.approval !== null) {
    asked.push({ approval: input.approval, reason: `the policy of the tool asks for ${input.approval}` });
  }
  if (input.risk !== null) {
    const approval = limits.byRisk[input.risk];
    asked.push({ approval, reason: `risk ${input.risk} asks for ${approval}` });
  }
  // An operator who has named the approval or the risk of a tool has weighed what it declares.
  if (input.approval === null && input.risk === null) {
    if (input.destructive) {
      asked.push({ approval: limits.destructive, reason: 'the tool declares itself destructive' });
    }
  }
  let requester: string | null = null;
  if (input.tainted !== null) {
    const approval = input.tainted === 'personal' ? limits.taintedPersonal : limits.taintedOpenWorld;
    const reason = TAINTED[input.tainted];
    if (approval === 'requester') requester = reason;
    else asked.push({ approval, reason });
  }
  const strictest = asked.reduce((held, next) =>
    strictness(next.approval) > strictness(held.approval) ? next : held,
  );
  // Another person who decides sees the same, and is asked once.
  return { ...strictest, requester: strictest.approval === 'human' ? null : requester };
};
