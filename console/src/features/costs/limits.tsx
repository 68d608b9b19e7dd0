import { Gauge, Pencil, Plus } from 'lucide-react';
import type { CostLimitsLimit, SetCostLimitsRequestLimit } from 'pentarch-sdk';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Input, Select } from '../../components/field.tsx';
import { Money, RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { useAgentName, usePersonName } from '../../components/person.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Panel, StatusPill, type Tone } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import styles from './costs.module.css';
import { useLimits, useSetLimits, useSubjects } from './queries.ts';

const ALERTS: Readonly<Record<CostLimitsLimit['alert_level'], { tone: Tone; label: string }>> = {
  none: { tone: 'good', label: 'room left' },
  info: { tone: 'accent', label: 'half used' },
  warning: { tone: 'warn', label: 'over 75 %' },
  critical: { tone: 'bad', label: 'over 90 %' },
  exceeded: { tone: 'bad', label: 'used up' },
};
const PERIODS: readonly { value: CostLimitsLimit['period']; label: string }[] = [
  { value: 'day', label: 'a day' },
  { value: 'month', label: 'a month' },
  { value: 'run', label: 'a run' },
];
const SCOPES: readonly { value: CostLimitsLimit['scope']; label: string }[] = [
  { value: 'tenant', label: 'Organisation' },
  { value: 'user', label: 'One user' },
  { value: 'agent', label: 'One agent' },
  { value: 'run', label: 'Every run' },
];

/** "Organisation, a day"; "Zeus, a month": whom and what time it is for, in words. */
const useLimitName = (limit: CostLimitsLimit | null): string => {
  const person = usePersonName(limit?.scope === 'user' ? limit.subject : null);
  const agent = useAgentName(limit?.scope === 'agent' ? limit.subject : null);
  if (limit === null) return '';
  const { scope, period } = limit;
  const whose =
    scope === 'user'
      ? person
      : scope === 'agent'
        ? agent
        : SCOPES.find(({ value }) => value === scope)?.label;
  const when = period === 'run' ? '' : `, ${PERIODS.find(({ value }) => value === period)?.label}`;
  return `${whose}${when}`;
};

const share = (part: number, whole: number): string =>
  `${whole === 0 ? 100 : Math.min(100, (part / whole) * 100)}%`;

const Bar = ({ limit }: { limit: CostLimitsLimit }) => (
  <div className={styles.bar} data-level={limit.alert_level} aria-hidden="true">
    <span className={styles.used} style={{ width: share(limit.used_usd, limit.limit_usd) }} />
    <span className={styles.reserved} style={{ width: share(limit.reserved_usd, limit.limit_usd) }} />
  </div>
);

const LimitRow = ({ limit, onEdit }: { limit: CostLimitsLimit; onEdit: (() => void) | undefined }) => {
  const name = useLimitName(limit);
  return (
    <li className={styles.limit}>
      <div className={styles.limitHead}>
        <h3>{name}</h3>
        {limit.period !== 'run' && (
          <StatusPill tone={ALERTS[limit.alert_level].tone}>{ALERTS[limit.alert_level].label}</StatusPill>
        )}
        <span className={styles.amount}>
          {limit.period !== 'run' && (
            <>
              <Money usd={limit.used_usd} /> of{' '}
            </>
          )}
          <Money usd={limit.limit_usd} />
        </span>
        {onEdit !== undefined && (
          <IconButton label={`Change limit: ${name}`} icon={<Pencil size={14} />} onClick={onEdit} />
        )}
      </div>
      {limit.period !== 'run' && (
        <>
          <Bar limit={limit} />
          <p className={styles.limitFoot}>
            <Money usd={limit.reserved_usd} /> reserved by running calls, <Money usd={limit.remaining_usd} />{' '}
            left
            {limit.resets_at !== null && (
              <>
                , starts over <RelativeTime iso={limit.resets_at} />
              </>
            )}
          </p>
        </>
      )}
    </li>
  );
};

/** Whom a new limit is for, by name; where there are more people than one list holds, by id. */
const Subject = ({ scope, fault }: { scope: 'user' | 'agent'; fault: string | undefined }) => {
  const { data } = useSubjects(scope);
  const label = scope === 'user' ? 'User' : 'Agent';
  return data === null ? (
    <Input label={`${label} (id)`} name="subject" fault={fault} autoComplete="off" />
  ) : (
    <Select
      label={label}
      name="subject"
      options={data ?? [{ value: '', label: 'Reading …' }]}
      disabled={data === undefined}
      fault={fault}
    />
  );
};

interface EditorProps {
  /** null: a new one. */
  limit: CostLimitsLimit | null;
  onClose: () => void;
}

const Editor = ({ limit, onClose }: EditorProps) => {
  const save = useSetLimits();
  const toast = useToast();
  const [scope, setScope] = useState(limit?.scope ?? 'user');
  const [period, setPeriod] = useState(limit?.period ?? 'month');
  const [missing, setMissing] = useState(false);
  const name = useLimitName(limit);
  const named = scope === 'user' || scope === 'agent';
  const store = (change: SetCostLimitsRequestLimit, said: string): void =>
    save.mutate(
      { limits: [change] },
      {
        onSuccess: () => {
          toast.done(said);
          onClose();
        },
      },
    );
  const target = (subject: string) => ({
    scope,
    period: scope === 'run' ? ('run' as const) : period,
    ...(named ? { subject } : {}),
  });
  return (
    <Dialog open onClose={onClose} title={limit === null ? 'New limit' : `Limit: ${name}`}>
      <Form
        error={save.error}
        fields={['limits.0.limit_usd', 'limits.0.subject', 'limits.0.scope', 'limits.0.period']}
        onSubmit={(values) => {
          const amount = String(values.get('amount') ?? '').trim();
          // Not sent: no number is null in JSON, and null would remove the limit.
          const missing = amount === '' || !Number.isFinite(Number(amount));
          setMissing(missing);
          if (missing) return;
          const subject = limit?.subject ?? String(values.get('subject') ?? '');
          store({ ...target(subject), limit_usd: Number(amount) }, 'The limit is set');
        }}
      >
        {(fault) => (
          <>
            {limit === null && (
              <>
                <Select
                  label="For"
                  value={scope}
                  options={SCOPES}
                  fault={fault('limits.0.scope')}
                  onChange={(event) =>
                    setScope(SCOPES.find(({ value }) => value === event.currentTarget.value)?.value ?? 'user')
                  }
                />
                {named && <Subject key={scope} scope={scope} fault={fault('limits.0.subject')} />}
                {scope !== 'run' && (
                  <Select
                    label="Per"
                    value={period}
                    options={PERIODS.filter(({ value }) => value !== 'run')}
                    fault={fault('limits.0.period')}
                    onChange={(event) => setPeriod(event.currentTarget.value === 'day' ? 'day' : 'month')}
                  />
                )}
              </>
            )}
            <Input
              label="US dollars"
              name="amount"
              type="number"
              min={0}
              step="any"
              required
              defaultValue={limit?.limit_usd}
              hint="0 allows nothing that costs."
              fault={missing ? 'must be a number' : fault('limits.0.limit_usd')}
            />
            <div className={styles.editorFoot}>
              <Button kind="primary" type="submit" busy={save.isPending}>
                Set limit
              </Button>
              {limit !== null && (
                <Button
                  busy={save.isPending}
                  onClick={() => store({ ...target(limit.subject), limit_usd: null }, 'The limit is removed')}
                >
                  Remove limit
                </Button>
              )}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
};

/** What may still be spent. A limit is hard: a call without room is refused before it is made. */
export const Limits = () => {
  const { data, error, refetch } = useLimits();
  const mayManage = useMay('costs:manage');
  const [editing, setEditing] = useState<CostLimitsLimit | 'new' | null>(null);
  return (
    <Panel
      title="Limits"
      flush
      actions={
        mayManage && (
          <Button onClick={() => setEditing('new')}>
            <Plus size={16} aria-hidden="true" /> Add limit
          </Button>
        )
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton height="12rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : data.limits.length === 0 ? (
        <EmptyState icon={Gauge} title="No limits">
          {mayManage
            ? 'Add one, so that spending stops by itself.'
            : 'Ask an admin to set one, so that spending stops by itself.'}
        </EmptyState>
      ) : (
        <ul aria-label="Limits">
          {data.limits.map((limit) => (
            <LimitRow key={limit.id} limit={limit} onEdit={mayManage ? () => setEditing(limit) : undefined} />
          ))}
        </ul>
      )}
      {editing !== null && (
        <Editor limit={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
    </Panel>
  );
};
