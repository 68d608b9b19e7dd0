import type { OpenShareResult } from 'pentarch-sdk';
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../components/states.tsx';
import { formatDateTime } from '../../lib/format.ts';
import styles from './shares.module.css';

const Markdown = lazy(() => import('../../components/markdown.tsx'));

type SharedMessage = OpenShareResult['messages'][number];

const CUT: Readonly<Record<string, string>> = {
  length: 'The answer was cut at the length limit.',
  cancelled: 'The answer was stopped.',
  cost_exceeded: 'The answer ended at a cost limit.',
  failed: 'The answer failed.',
  interrupted: 'The answer was interrupted.',
};

const HIDDEN = 'A document that you cannot read';

const Titles = ({ heading, titles }: { heading: string; titles: readonly string[] }) =>
  titles.length === 0 ? null : (
    <div className={styles.titles}>
      <span>{heading}</span>
      <ol>
        {titles.map((title, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes, and titles that may be equal
          <li key={i}>{title}</li>
        ))}
      </ol>
    </div>
  );

const Said = ({ message }: { message: SharedMessage }) => {
  const asked = message.role === 'user';
  const cut = asked || message.finish_reason === null ? undefined : CUT[message.finish_reason];
  return (
    <article className={asked ? styles.question : styles.answer}>
      <header>
        <strong>{asked ? 'Question' : (message.agent_name ?? 'Answer')}</strong>{' '}
        <time dateTime={message.created_at}>{formatDateTime(message.created_at)}</time>
      </header>
      {asked ? (
        <p className={styles.text}>{message.content}</p>
      ) : (
        <Suspense fallback={<Skeleton height="4rem" />}>
          <Markdown text={message.content} />
        </Suspense>
      )}
      {cut !== undefined && <p className={styles.quiet}>{cut}</p>}
      <Titles
        heading="Sources"
        titles={message.citations.map(({ title, page }) =>
          title === null ? HIDDEN : page === null ? title : `${title}, page ${page}`,
        )}
      />
      <Titles heading="Attached" titles={message.attachments.map((title) => title ?? HIDDEN)} />
    </article>
  );
};

/** What others see of a conversation: nothing can be done here but read. */
export const SharedView = ({ shared }: { shared: OpenShareResult }) => (
  <main className={styles.page} data-fills>
    <header className={styles.head}>
      <h1 tabIndex={-1} data-page-title>
        {shared.title ?? 'A conversation'}
      </h1>
      <p className={styles.quiet}>
        Shared {formatDateTime(shared.shared_at)}, to read until {formatDateTime(shared.expires_at)}. Agents
        are programs: check what matters.
      </p>
    </header>
    {shared.messages.map((message, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes, whose items have no ids
      <Said key={i} message={message} />
    ))}
  </main>
);
