import { Link } from '@tanstack/react-router';
import { Search, SearchX } from 'lucide-react';
import type { SearchResponseResult } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Checkbox, Input } from '../../components/field.tsx';
import { Duration } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Badge, Panel } from '../../components/surface.tsx';
import { useMay } from '../../lib/me.ts';
import styles from './knowledge.module.css';
import { useSearch } from './queries.ts';
import { stretchesOf } from './types.ts';

export const Marked = ({ content, highlights }: { content: string; highlights: readonly string[] }) => {
  let at = 0;
  return stretchesOf(content, highlights).map(({ text, marked }) => {
    const key = at;
    at += text.length;
    return marked ? <mark key={key}>{text}</mark> : <span key={key}>{text}</span>;
  });
};

const Result = ({ result }: { result: SearchResponseResult }) => (
  <li className={styles.result}>
    <div className={styles.resultHead}>
      <h3>
        {result.document_id === null ? (
          result.title
        ) : (
          <Link to={`/knowledge/${result.document_id}`} search={{ chunk: result.chunk_id ?? undefined }}>
            {result.title}
          </Link>
        )}
      </h3>
      {result.type === 'memory' && <Badge tone="accent">memory</Badge>}
      {result.page !== null && <Badge>page {result.page}</Badge>}
      <span className={styles.score} title={`Score ${result.score}`}>
        <meter min={0} max={1} value={result.score} aria-label="Score" />
        <span className="number">{result.score.toFixed(2)}</span>
      </span>
    </div>
    <p className={styles.passage}>
      <Marked content={result.content} highlights={result.highlights} />
    </p>
  </li>
);

interface PassageSearchProps {
  query: string;
  memories: boolean;
  onSearch: (next: { query: string; memories: boolean }) => void;
}

export const PassageSearch = ({ query, memories, onSearch }: PassageSearchProps) => {
  const [withMemories, setWithMemories] = useState(memories);
  const mayMemory = useMay('memory:read');
  const { data, error, isFetching, refetch } = useSearch(query, memories);
  return (
    <div className={styles.page}>
      <Panel>
        <Form
          error={null}
          fields={['query']}
          onSubmit={(values) =>
            onSearch({ query: String(values.get('query') ?? '').trim(), memories: withMemories })
          }
        >
          {() => (
            <div className={styles.ask}>
              <Input
                key={query}
                label="What are you looking for?"
                name="query"
                type="search"
                defaultValue={query}
                maxLength={4096}
              />
              <Button kind="primary" type="submit" busy={isFetching}>
                Search
              </Button>
              {mayMemory && (
                <Checkbox label="In the memory too" checked={withMemories} onChange={setWithMemories} />
              )}
            </div>
          )}
        </Form>
      </Panel>
      {query === '' ? (
        <EmptyState icon={Search} title="Search inside your documents">
          Ask in your own words: passages are found by their meaning and by their words.
        </EmptyState>
      ) : data === undefined ? (
        error === null ? (
          <Skeleton height="16rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : data.results.length === 0 ? (
        <EmptyState icon={SearchX} title="Nothing was found">
          Try other words, or add a document that tells of it.
        </EmptyState>
      ) : (
        <Panel
          title={`${data.results.length} passages`}
          actions={
            <span className={styles.took}>
              in <Duration ms={data.took_ms} />
            </span>
          }
          flush
        >
          <ul aria-label="Passages found">
            {data.results.map((result) => (
              <Result key={`${result.type}-${result.id}`} result={result} />
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
};
