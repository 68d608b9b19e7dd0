import type { AgentMetrics, AgentStatus } from 'pentarch-sdk';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Drawer } from '../../components/dialog.tsx';
import { Input, Switch, Textarea } from '../../components/field.tsx';
import { Count, Duration, Money, Percent, RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { AgentAvatar } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { formatPercent } from '../../lib/format.ts';
import { useMay } from '../../lib/me.ts';
import styles from './agents.module.css';
import { useMetricsOfOne, useModels, useUpdateAgent, WINDOWS } from './queries.ts';
import { StatePill } from './state-pill.tsx';

const ROWS: readonly { label: string; cell: (metrics: AgentMetrics) => ReactNode }[] = [
  { label: 'Runs', cell: (m) => <Count value={m.requests} /> },
  { label: 'Success', cell: (m) => <Percent share={m.success_rate} /> },
  { label: 'Failed', cell: (m) => <Count value={m.failures} /> },
  { label: 'Latency, median', cell: (m) => <Duration ms={m.latency_ms.p50} /> },
  { label: 'Latency, p95', cell: (m) => <Duration ms={m.latency_ms.p95} /> },
  { label: 'First token, median', cell: (m) => <Duration ms={m.first_token_ms.p50} /> },
  { label: 'Tokens read', cell: (m) => <Count value={m.input_tokens} compact /> },
  { label: 'Tokens written', cell: (m) => <Count value={m.output_tokens} compact /> },
  { label: 'Tool calls', cell: (m) => <Count value={m.tool_calls} /> },
  { label: 'Cost', cell: (m) => <Money usd={m.cost_usd} /> },
];

const Measured = ({ id }: { id: string }) => {
  const { data, error, refetch } = useMetricsOfOne(id);
  if (data === undefined) {
    return error === null ? (
      <Skeleton height="19rem" />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <table className={styles.measured}>
      <caption className="visually-hidden">Figures by window</caption>
      <thead>
        <tr>
          <td />
          {WINDOWS.map((window) => (
            <th key={window} scope="col">
              {window}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(({ label, cell }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {data.map((metrics) => (
              <td key={metrics.window}>{cell(metrics)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** Above this share of failures in the last hour the server calls an agent degraded, as it does where its model is silent. */
const MANY_FAILURES = 0.2;

const WhyDegraded = ({ agent }: { agent: AgentStatus }) => {
  const { data } = useMetricsOfOne(agent.id);
  const hour = data?.find(({ window }) => window === '1h');
  if (agent.state !== 'degraded' || hour === undefined) return null;
  const rate = hour.success_rate ?? 1;
  return (
    <p className={styles.why} role="status">
      {1 - rate > MANY_FAILURES
        ? `Degraded: of its runs in the last hour only ${formatPercent(rate)} succeeded. Look at its model, its tools, and the server’s log.`
        : 'Degraded: the model that it uses does not answer at the moment.'}
    </p>
  );
};

const textOrNull = (value: FormDataEntryValue | null): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

const Settings = ({ agent }: { agent: AgentStatus }) => {
  const toast = useToast();
  const models = useModels();
  const save = useUpdateAgent(agent.id);
  const toggle = useUpdateAgent(agent.id);
  return (
    <section className={styles.section} aria-label="Settings">
      <h3>Settings</h3>
      <Switch
        label="Enabled"
        hint="A disabled agent takes no messages; others do its work."
        checked={agent.enabled}
        disabled={toggle.isPending}
        onChange={(enabled) =>
          toggle.mutate(
            { enabled },
            {
              onSuccess: () => toast.done(`${agent.name} is ${enabled ? 'enabled' : 'disabled'}`),
              onError: toast.failed,
            },
          )
        }
      />
      <Form
        error={save.error}
        fields={['model', 'instructions']}
        onSubmit={(values) =>
          save.mutate(
            { model: textOrNull(values.get('model')), instructions: textOrNull(values.get('instructions')) },
            { onSuccess: () => toast.done(`${agent.name} is changed`) },
          )
        }
      >
        {(fault) => (
          <>
            <Input
              label="Model"
              name="model"
              defaultValue={agent.model ?? ''}
              placeholder="Default of the server"
              hint="provider/model, for example openai/gpt-5-mini. Empty: the default."
              fault={fault('model')}
              autoComplete="off"
              spellCheck={false}
              list="agent-models"
            />
            <datalist id="agent-models">
              {models.map(({ id }) => (
                <option key={id} value={id} />
              ))}
            </datalist>
            <Textarea
              label="Instructions"
              name="instructions"
              defaultValue={agent.instructions ?? ''}
              hint="Added to the agent’s charter, for your organisation only."
              fault={fault('instructions')}
              rows={6}
            />
            <div>
              <Button kind="primary" type="submit" busy={save.isPending}>
                Save
              </Button>
            </div>
          </>
        )}
      </Form>
    </section>
  );
};

const Facts = ({ agent }: { agent: AgentStatus }) => (
  <dl className={styles.facts}>
    <dt>Model</dt>
    <dd>{agent.model ?? 'default of the server'}</dd>
    <dt>Last active</dt>
    <dd>
      <RelativeTime iso={agent.metrics.last_active_at} />
    </dd>
    {agent.seat !== null && (
      <>
        <dt>Seat in the Pentarchy</dt>
        <dd>{agent.seat}</dd>
      </>
    )}
    {agent.instructions !== null && (
      <>
        <dt>Instructions</dt>
        <dd className={styles.instructions}>{agent.instructions}</dd>
      </>
    )}
  </dl>
);

export const AgentDrawer = ({ agent, onClose }: { agent: AgentStatus | undefined; onClose: () => void }) => {
  const mayManage = useMay('agents:manage');
  return (
    <Drawer
      open={agent !== undefined}
      onClose={onClose}
      title={
        agent === undefined ? null : (
          <span className={styles.drawerTitle}>
            <AgentAvatar id={agent.id} name={agent.name} small />
            {agent.name}
            <StatePill state={agent.state} />
          </span>
        )
      }
      {...(agent === undefined ? {} : { description: agent.description })}
    >
      {agent !== undefined && (
        <div className={styles.drawer}>
          <WhyDegraded agent={agent} />
          <Facts agent={agent} />
          <section className={styles.section} aria-label="Measured">
            <h3>Measured</h3>
            <Measured id={agent.id} />
          </section>
          {mayManage && <Settings key={agent.id} agent={agent} />}
        </div>
      )}
    </Drawer>
  );
};
