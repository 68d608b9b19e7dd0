import { Link } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import type { MemoryEntity, Observation } from 'pentarch-sdk';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Textarea } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMe } from '../../lib/me.ts';
import { textOf } from '../../lib/text.ts';
import styles from './memory.module.css';
import { useEntityActions } from './queries.ts';
import { holds } from './shapes.ts';

const SOURCES: Readonly<Record<Observation['source']['kind'], string>> = {
  message: 'said in a conversation',
  api: 'entered by hand',
  agent: 'noted by an agent',
  import: 'imported',
  merge: 'from a merged entity',
  untrusted: 'noted by an agent from foreign content; no prompt uses it',
};

/** Who said it, where and when. */
const Provenance = ({ fact }: { fact: Observation }) => {
  const { sub } = useMe();
  const { kind, conversation_id: conversation, user } = fact.source;
  return (
    <p className={styles.provenance}>
      <span>{SOURCES[kind]}</span>
      <span>{user === sub ? 'by you' : 'by somebody else'}</span>
      <RelativeTime iso={fact.created_at} />
      {conversation !== null && user === sub && (
        <Link to="/chat" search={{ c: conversation }}>
          Conversation
        </Link>
      )}
    </p>
  );
};

interface FactProps {
  entity: MemoryEntity;
  fact: Observation;
  mayChange: boolean;
}

const Fact = ({ entity, fact, mayChange }: FactProps) => {
  const { correctFact, removeFact } = useEntityActions(entity.id);
  const toast = useToast();
  const [state, setState] = useState<'shown' | 'editing' | 'deleting'>('shown');
  const shown = (): void => setState('shown');
  if (state === 'editing') {
    return (
      <li className={styles.fact}>
        <Form
          error={correctFact.error}
          fields={['text']}
          onSubmit={(values) => {
            const text = textOf(values, 'text');
            if (text === fact.text) return shown();
            correctFact.mutate({ factId: fact.id, text }, { onSuccess: shown });
          }}
        >
          {(fault) => (
            <>
              <Textarea
                label="What is true"
                name="text"
                rows={2}
                maxLength={2000}
                autoFocus
                defaultValue={fact.text}
                hint="The earlier wording is kept as history."
                fault={fault('text')}
              />
              <div className={styles.buttons}>
                <Button onClick={shown}>Cancel</Button>
                <Button kind="primary" type="submit" busy={correctFact.isPending}>
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
    <li className={styles.fact} data-ended={holds(fact) ? undefined : true}>
      <div className={styles.factLine}>
        <p className={styles.factText}>
          <bdi>{fact.text}</bdi>
        </p>
        {mayChange && (
          <span className={styles.factActions}>
            {holds(fact) && (
              <IconButton
                label={`Correct: ${fact.text}`}
                icon={<Pencil size={13} />}
                onClick={() => setState('editing')}
              />
            )}
            <IconButton
              label={`Delete: ${fact.text}`}
              icon={<Trash2 size={13} />}
              onClick={() => setState('deleting')}
            />
          </span>
        )}
      </div>
      <Provenance fact={fact} />
      {!holds(fact) && (
        <p className={styles.provenance}>
          no longer true since <RelativeTime iso={fact.valid_to} />
        </p>
      )}
      <ConfirmDialog
        open={state === 'deleting'}
        onClose={shown}
        title="Delete this fact permanently?"
        message={`“${fact.text}” will not be remembered, and not be kept as history. To keep that, correct it instead.`}
        action="Delete fact"
        busy={removeFact.isPending}
        onConfirm={() =>
          removeFact.mutate(fact.id, {
            onSuccess: () => toast.done('The fact is deleted'),
            onError: toast.failed,
            onSettled: shown,
          })
        }
      />
    </li>
  );
};

/** What is known of an entity: what holds, what was true before, and where each of it came from. */
export const Facts = ({ entity, mayChange }: { entity: MemoryEntity; mayChange: boolean }) => {
  const { addFact } = useEntityActions(entity.id);
  const [round, setRound] = useState(0);
  const now = entity.observations.filter(holds);
  const before = entity.observations.filter((fact) => !holds(fact));
  return (
    <section className={styles.section} aria-label="Facts">
      <h3>Facts</h3>
      {now.length === 0 && (
        <p className={styles.quiet}>
          {mayChange ? 'Nothing is noted yet. Write the first fact below.' : 'Nothing is noted.'}
        </p>
      )}
      <ul className={styles.facts}>
        {now.map((fact) => (
          <Fact key={fact.id} entity={entity} fact={fact} mayChange={mayChange} />
        ))}
      </ul>
      {before.length > 0 && (
        <details className={styles.earlier}>
          <summary>Earlier ({before.length})</summary>
          <ul className={styles.facts}>
            {before.map((fact) => (
              <Fact key={fact.id} entity={entity} fact={fact} mayChange={mayChange} />
            ))}
          </ul>
        </details>
      )}
      {mayChange && (
        <Form
          key={round}
          error={addFact.error}
          fields={['text']}
          onSubmit={(values) => {
            const text = textOf(values, 'text');
            if (text !== '') addFact.mutate(text, { onSuccess: () => setRound((last) => last + 1) });
          }}
        >
          {(fault) => (
            <div className={styles.addLine}>
              <Textarea
                label="New fact"
                name="text"
                rows={1}
                maxLength={2000}
                placeholder={`One thing about ${entity.name}`}
                fault={fault('text')}
              />
              <Button type="submit" busy={addFact.isPending}>
                Add
              </Button>
            </div>
          )}
        </Form>
      )}
    </section>
  );
};
