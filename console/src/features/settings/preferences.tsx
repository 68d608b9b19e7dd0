import { Link } from '@tanstack/react-router';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import type { MemoryPreference } from 'pentarch-sdk';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Input } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { Badge, Panel } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import { textOf } from '../../lib/text.ts';
import { type PreferenceName, usePreferenceActions, usePreferences } from './queries.ts';
import styles from './settings.module.css';

/** What the agents honour of one's wishes: said in conversations, kept by Hestia, seen and corrected here. */

const KINDS: readonly { name: PreferenceName; label: string; example: string }[] = [
  { name: 'form_of_address', label: 'What you are called', example: 'Ada' },
  { name: 'language', label: 'Language of answers', example: 'German' },
  { name: 'tone', label: 'Tone', example: 'formal, friendly' },
  { name: 'answer_length', label: 'Length of answers', example: 'short, detailed' },
  { name: 'format', label: 'Form of answers', example: 'bullet points, tables' },
  { name: 'units', label: 'Units', example: 'metric' },
  { name: 'date_format', label: 'Dates', example: '31.12.2026' },
  { name: 'time_zone', label: 'Time zone', example: 'Europe/Madrid' },
];

const SOURCES: Readonly<Record<MemoryPreference['source']['kind'], string>> = {
  message: 'said in a conversation',
  api: 'set by you',
  agent: 'set by an agent for you',
  import: 'imported',
  merge: 'from a merged entity',
  untrusted: 'noted from foreign content',
};

const Origin = ({ one }: { one: MemoryPreference }) => (
  <p className={styles.origin}>
    <span>{SOURCES[one.source.kind]}</span>
    <RelativeTime iso={one.created_at} />
    {one.source.conversation_id !== null && (
      <Link to="/chat" search={{ c: one.source.conversation_id }}>
        Conversation
      </Link>
    )}
    {!one.told && <Badge tone="warn">not used: agents see only the newest 20</Badge>}
  </p>
);

interface RowProps {
  label: string;
  example: string;
  /** null: nothing is set. */
  held: MemoryPreference | null;
  /** As it is edited; the text where the value has no form of its own. */
  value: string;
  /** Resolves when it is kept. */
  save: { error: unknown; isPending: boolean; run: (value: string, done: () => void) => void };
}

const Row = ({ label, example, held, value, save }: RowProps) => {
  const { remove } = usePreferenceActions();
  const toast = useToast();
  const mayWrite = useMay('memory:write');
  const [state, setState] = useState<'shown' | 'editing' | 'deleting'>('shown');
  const shown = (): void => setState('shown');
  if (state === 'editing') {
    return (
      <li className={styles.preference} data-editing>
        <Form
          error={save.error}
          fields={['value', 'text']}
          onSubmit={(values) => {
            const next = textOf(values, 'value');
            if (next === value) return shown();
            save.run(next, shown);
          }}
        >
          {(fault) => (
            <>
              <Input
                label={label}
                name="value"
                autoFocus
                required
                maxLength={200}
                defaultValue={value}
                placeholder={example}
                fault={fault('value') ?? fault('text')}
              />
              <div className={styles.actions}>
                <Button onClick={shown}>Cancel</Button>
                <Button kind="primary" type="submit" busy={save.isPending}>
                  Save
                </Button>
              </div>
            </>
          )}
        </Form>
      </li>
    );
  }
  return (
    <li className={styles.preference}>
      <div className={styles.note}>
        <h3>{label}</h3>
        {held === null ? <p className={styles.unset}>Not set</p> : <Origin one={held} />}
      </div>
      {held !== null && value !== label && (
        <p className={styles.held}>
          <bdi>{value}</bdi>
        </p>
      )}
      {mayWrite && (
        <span className={styles.rowActions}>
          {held === null ? (
            <Button kind="quiet" aria-label={`Set: ${label}`} onClick={() => setState('editing')}>
              Set
            </Button>
          ) : (
            <>
              <IconButton
                label={`Correct: ${label}`}
                icon={<Pencil size={14} />}
                onClick={() => setState('editing')}
              />
              <IconButton
                label={`Delete: ${label}`}
                icon={<Trash2 size={14} />}
                onClick={() => setState('deleting')}
              />
            </>
          )}
        </span>
      )}
      {held !== null && (
        <ConfirmDialog
          open={state === 'deleting'}
          onClose={shown}
          title={`Forget “${held.text}”?`}
          message="Agents will no longer see it. You can set it again."
          action="Forget it"
          busy={remove.isPending}
          onConfirm={() =>
            remove.mutate(held, {
              onSuccess: () => {
                shown();
                toast.done('It is forgotten');
              },
              onError: toast.failed,
            })
          }
        />
      )}
    </li>
  );
};

const NamedRow = ({ kind, held }: { kind: (typeof KINDS)[number]; held: MemoryPreference | null }) => {
  const { set } = usePreferenceActions();
  return (
    <Row
      label={kind.label}
      example={kind.example}
      held={held}
      value={held?.value ?? held?.text ?? ''}
      save={{
        error: set.error,
        isPending: set.isPending,
        run: (value, onSuccess) => set.mutate({ name: kind.name, value }, { onSuccess }),
      }}
    />
  );
};

const OtherRow = ({ held }: { held: MemoryPreference }) => {
  const { correct } = usePreferenceActions();
  return (
    <Row
      label={held.text}
      example=""
      held={held}
      value={held.text}
      save={{
        error: correct.error,
        isPending: correct.isPending,
        run: (text, onSuccess) => correct.mutate({ held, text }, { onSuccess }),
      }}
    />
  );
};

const AddOther = () => {
  const { set } = usePreferenceActions();
  const [round, setRound] = useState(0);
  return (
    <Form
      key={round}
      error={set.error}
      fields={['value']}
      onSubmit={(values) =>
        set.mutate(
          { name: 'other', value: textOf(values, 'value') },
          { onSuccess: () => setRound(round + 1) },
        )
      }
    >
      {(fault) => (
        <div className={styles.add}>
          <Input
            label="Something else"
            name="value"
            maxLength={200}
            placeholder="likes examples from physics"
            hint="As one would say it of you: “likes …”, “wants …”, “is …”."
            fault={fault('value')}
          />
          <Button type="submit" busy={set.isPending}>
            <Plus size={15} aria-hidden="true" /> Add
          </Button>
        </div>
      )}
    </Form>
  );
};

export const Preferences = () => {
  const { data, error, refetch } = usePreferences();
  const mayWrite = useMay('memory:write');
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
    return (
      <div className={styles.narrow}>
        <Skeleton height="32rem" />
      </div>
    );
  }
  const named = new Map(data.flatMap((one) => (one.name === null ? [] : [[one.name, one] as const])));
  const others = data.filter((one) => !KINDS.some(({ name }) => name === one.name));
  return (
    <div className={styles.narrow}>
      <Panel flush title="How agents answer you">
        <p className={styles.lead}>
          Every agent is told these with each of your messages. They are kept when you say them in a
          conversation (“answer in German from now on”), and here.
        </p>
        <ul className={styles.preferences}>
          {KINDS.map((kind) => (
            <NamedRow key={kind.name} kind={kind} held={named.get(kind.name) ?? null} />
          ))}
        </ul>
      </Panel>
      <Panel title="What else they know you like">
        {others.length > 0 && (
          <ul className={styles.preferences} data-within>
            {others.map((one) => (
              <OtherRow key={one.id} held={one} />
            ))}
          </ul>
        )}
        {others.length === 0 && !mayWrite && <p className={styles.unset}>Nothing yet.</p>}
        {mayWrite && <AddOther />}
      </Panel>
    </div>
  );
};
