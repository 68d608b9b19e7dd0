import { ShieldAlert } from 'lucide-react';
import type { McpTool } from 'pentarch-sdk';
import { Button } from '../../components/button.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import { diffJson, diffWords, type Part, stableJson } from './diff.ts';
import styles from './mcp.module.css';
import { useAcceptTool } from './queries.ts';

/** Why a tool is held back, what has changed of it, and the button that accepts it as it is now. */

const Parts = ({ parts, code }: { parts: readonly Part[]; code: boolean }) => {
  const content = parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are made anew as a whole
    if (part.kind === 'same') return <span key={index}>{part.text}</span>;
    const Tag = part.kind === 'old' ? 'del' : 'ins';
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are made anew as a whole
      <Tag key={index}>
        <span className="visually-hidden">{part.kind === 'old' ? 'removed: ' : 'added: '}</span>
        {part.text}
      </Tag>
    );
  });
  return code ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys
    <pre className={`${styles.code} ${styles.diff}`} tabIndex={0}>
      {content}
    </pre>
  ) : (
    <p className={`${styles.diff} ${styles.words}`}>{content}</p>
  );
};

const changesOf = (tool: McpTool) => {
  const before = tool.accepted;
  if (before === null) return [];
  const json = (label: string, old: unknown, now: unknown) =>
    stableJson(old) === stableJson(now) ? [] : [{ label, parts: diffJson(old, now), code: true }];
  const words = (label: string, old: string, now: string) =>
    old === now ? [] : [{ label, parts: diffWords(old, now), code: false }];
  return [
    ...words('Title', before.title ?? '', tool.title ?? ''),
    ...words('Description', before.description, tool.description),
    ...json('Arguments', before.input_schema, tool.input_schema),
    ...json('Result', before.output_schema, tool.output_schema),
    ...json('Annotations', before.annotations, tool.annotations),
  ];
};

const WHY: Readonly<Record<McpTool['warnings'][number], string>> = {
  suspicious_text:
    'Its text reads like an instruction to a model. Read it as what it is: words of the server.',
  identical_name: 'Another server has a tool of the same name.',
  lookalike_name: 'Its name looks like that of another tool; one may be meant to be taken for the other.',
};

export const ToolWarnings = ({ tool }: { tool: McpTool }) => (
  <>
    {tool.warnings.map((warning) => (
      <p key={warning} className={styles.warning}>
        <ShieldAlert size={16} aria-hidden="true" />
        <span>{WHY[warning]}</span>
      </p>
    ))}
  </>
);

export const ToolChange = ({ server, tool }: { server: string; tool: McpTool }) => {
  const accept = useAcceptTool(server);
  const toast = useToast();
  const mayManage = useMay('mcp:manage');
  const changed = tool.policy.pinned === 'changed';
  if (!changed && tool.policy.pinned !== 'new') return null;
  const changes = changesOf(tool);
  return (
    <section className={styles.change} data-held={tool.held_back || undefined} aria-label="Change to accept">
      <h3>
        {changed ? 'It is not what was accepted any more' : 'It has come since the server was registered'}
      </h3>
      <p>
        {tool.held_back
          ? 'Until someone accepts it, it cannot be called, and agents do not see it.'
          : 'It may be used already; accepting it says that somebody has looked at it.'}
      </p>
      {changed && tool.accepted === null && (
        <p className={styles.meta}>What was accepted before was not kept: read the whole of it below.</p>
      )}
      {changes.map(({ label, parts, code }) => (
        <div key={label} className={styles.changePart}>
          <h4>{label}</h4>
          <Parts parts={parts} code={code} />
        </div>
      ))}
      {mayManage ? (
        <div>
          <Button
            kind="primary"
            busy={accept.isPending}
            onClick={() =>
              accept.mutate(tool, {
                onSuccess: () => toast.done(`“${tool.name}” is accepted as it is now`),
                onError: toast.failed,
              })
            }
          >
            {changed ? 'Accept the change' : 'Accept the tool'}
          </Button>
        </div>
      ) : (
        <p className={styles.meta}>Accepting it needs the permission mcp:manage.</p>
      )}
    </section>
  );
};
