import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Count } from '../../components/figures.tsx';
import { Skeleton } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import styles from './first-run.module.css';
import { useLoadSample, useSetUp } from './queries.ts';
import { SAMPLE_QUESTIONS } from './sample.ts';

const Step = ({ done, title, children }: { done: boolean; title: string; children: ReactNode }) => (
  <li className={styles.step} data-done={done || undefined}>
    {done ? (
      <CircleCheck size={16} aria-label="Set up:" role="img" />
    ) : (
      <CircleAlert size={16} aria-label="Missing:" role="img" />
    )}
    <div>
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  </li>
);

/** Before the first message: what the platform can do, what of it is set up, and something to try it with. */
export const FirstRun = ({ onAsk }: { onAsk: ((question: string) => void) | null }) => {
  const setUp = useSetUp();
  const load = useLoadSample();
  const toast = useToast();
  const mayUpload = useMay('knowledge:write');
  const { data } = setUp;
  const unfinished = data !== undefined && (data.builtin || data.documents === 0);
  return (
    <div className={styles.welcome}>
      <h2>What can we do for you?</h2>
      <p>
        Ask in your own words: Zeus passes the question to whoever knows best. Type <kbd>/</kbd> to choose an
        agent yourself, or drop a document here and ask about it.
      </p>
      {data === undefined && setUp.error === null && <Skeleton height="9rem" />}
      {unfinished && (
        <ul className={styles.steps} aria-label="What is set up">
          <Step
            done={!data.builtin}
            title={data.builtin ? 'No language model yet' : 'A language model answers'}
          >
            {data.builtin ? (
              <>
                Answers are put together from the sentences of your documents. For a language model, whoever
                runs this server sets <code>MODEL</code> and its key, such as <code>ANTHROPIC_API_KEY</code>{' '}
                or <code>OPENAI_API_KEY</code>, and starts it again.
              </>
            ) : (
              'Ask whatever you like.'
            )}
          </Step>
          <Step
            done={data.documents > 0}
            title={data.documents > 0 ? 'Documents are there' : 'No documents yet'}
          >
            {data.documents > 0 ? (
              <>
                <Count value={data.documents} /> can be asked about and cited.{' '}
                <Link to="/knowledge">See them</Link>
              </>
            ) : mayUpload ? (
              <>
                Answers cite the passage that they come from. <Link to="/knowledge">Add your own</Link>, or
                begin with a sample.
              </>
            ) : (
              'Documents that others share with your organisation are cited in answers.'
            )}
          </Step>
        </ul>
      )}
      {data !== undefined && !data.sample && data.documents === 0 && mayUpload && (
        <div>
          <Button busy={load.isPending} onClick={() => load.mutate(undefined, { onError: toast.failed })}>
            <FileText size={14} aria-hidden="true" /> Load a sample document
          </Button>
        </div>
      )}
      {data?.sample === true && onAsk !== null && (
        <section className={styles.questions} aria-label="Questions on the sample document">
          <h3>Try one of these on the sample document</h3>
          <ul>
            {SAMPLE_QUESTIONS.map((question) => (
              <li key={question}>
                <button type="button" className={styles.question} onClick={() => onAsk(question)}>
                  {question}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
};
