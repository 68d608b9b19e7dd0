import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import type { McpTool } from 'pentarch-sdk';
import { lazy, Suspense, useState } from 'react';
import { Button, buttonClass } from '../../components/button.tsx';
import { Form } from '../../components/form.tsx';
import { Skeleton } from '../../components/states.tsx';
import { Segments } from '../../components/surface.tsx';
import { fieldFaults } from '../../lib/errors.ts';
import { useMay } from '../../lib/me.ts';
import styles from './mcp.module.css';
import { useCallTool } from './queries.ts';
import { CallResult } from './result.tsx';
import { argumentFields, initialObject } from './schema.ts';
import { JsonField, SchemaFields } from './schema-form.tsx';

const ApprovalCard = lazy(() =>
  import('../chat/approval-card.tsx').then((module) => ({ default: module.ApprovalCard })),
);

const MODES = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const Pending = ({ proposal }: { proposal: Readonly<Record<string, unknown>> }) => {
  const mayRead = useMay('governance:read');
  const id = typeof proposal.id === 'string' ? proposal.id : '';
  return (
    <section className={styles.result} data-pending aria-label="Approval needed">
      <p>
        <strong>This call needs approval.</strong> It is made by the platform as soon as it is approved; its
        result stands with the proposal.
      </p>
      {mayRead && (
        <>
          <Suspense fallback={<Skeleton height="16rem" />}>
            <ApprovalCard id={id} />
          </Suspense>
          <div>
            <Link
              to="/governance"
              search={(before: Record<string, unknown>) => ({ ...before, proposal: id, view: undefined })}
              className={buttonClass()}
            >
              Open in Governance
            </Link>
          </div>
        </>
      )}
    </section>
  );
};

/** Calls the tool with arguments from a form that its schema makes; the schema is checked by the server. */
export const TryTool = ({ server, tool }: { server: string; tool: McpTool }) => {
  const call = useCallTool(server);
  const fields = argumentFields(tool.input_schema);
  const [mode, setMode] = useState<'form' | 'json'>(fields === null ? 'json' : 'form');
  const [values, setValues] = useState<unknown>(() => initialObject(fields ?? []));
  const faults = fieldFaults(call.error);
  const faultAt = (path: string): string | undefined => faults[path];
  const names = Object.keys(faults).filter((name) => name.startsWith('arguments.'));
  const pending = call.data !== undefined && 'proposal' in call.data ? call.data.proposal : null;
  return (
    <section className={styles.section} aria-label="Try it">
      <div className={styles.sectionHead}>
        <h3>Try it</h3>
        {fields !== null && fields.length > 0 && (
          <Segments label="Arguments as" value={mode} options={MODES} onChange={setMode} />
        )}
      </div>
      <Form
        error={call.error}
        fields={mode === 'form' ? names : []}
        onSubmit={() => call.mutate({ tool: tool.name, arguments: isRecord(values) ? values : {} })}
      >
        {() => (
          <>
            {mode === 'json' || fields === null ? (
              <JsonField
                label="Arguments"
                hint="A JSON object."
                value={values}
                fault={isRecord(values) || values === undefined ? undefined : 'must be an object'}
                onChange={setValues}
              />
            ) : fields.length === 0 ? (
              <p className={styles.meta}>It takes no arguments.</p>
            ) : (
              <SchemaFields
                properties={fields}
                value={values}
                onChange={setValues}
                faultAt={faultAt}
                path="arguments"
              />
            )}
            <div>
              <Button
                kind="primary"
                type="submit"
                busy={call.isPending}
                disabled={values !== undefined && !isRecord(values)}
              >
                <Play size={14} aria-hidden="true" /> Call {tool.name}
              </Button>
            </div>
          </>
        )}
      </Form>
      <div aria-live="polite">
        {pending !== null && <Pending proposal={pending} />}
        {call.data !== undefined && !('proposal' in call.data) && <CallResult result={call.data} />}
      </div>
    </section>
  );
};
