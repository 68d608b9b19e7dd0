import type { Proposal } from 'pentarch-sdk';
import { Code } from './code.tsx';
import styles from './proposal-call.module.css';

/** What a yes to a proposal does: the tool that is called, with all that it is handed. */
export const ProposalCall = ({ tool }: { tool: Proposal['tool'] }) =>
  tool === null ? null : (
    <section className={styles.call} aria-label="Tool call">
      <p>
        The call: <strong>{tool.server === null ? tool.name : `${tool.server} / ${tool.name}`}</strong>
      </p>
      <Code value={tool.arguments} />
    </section>
  );
