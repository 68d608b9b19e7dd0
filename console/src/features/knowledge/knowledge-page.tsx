import { PageHead } from '../../components/surface.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay } from '../../lib/me.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { DocumentList } from './document-list.tsx';
import styles from './knowledge.module.css';
import { PassageSearch } from './passage-search.tsx';
import { ReadingList } from './reading.tsx';
import { isTypeFilter } from './types.ts';
import { UploadArea } from './upload-area.tsx';

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const parse = (raw: Readonly<Record<string, unknown>>) => ({
  tab: raw.tab === 'search' ? 'search' : 'documents',
  q: text(raw.q),
  type: isTypeFilter(raw.type) ? raw.type : '',
  query: text(raw.query),
  memories: raw.memories === true,
});

const KnowledgePage = () => {
  const [{ tab, q, type, query, memories }, setState] = useUrlState(parse);
  const mayWrite = useMay('knowledge:write');
  useLiveRefresh(['document.'], ['knowledge']);
  return (
    <>
      <PageHead title="Knowledge" about="Documents that the agents read, cut into passages that they cite." />
      <Tabs
        value={tab}
        onChange={(next) => setState({ tab: next === 'search' ? next : undefined })}
        tabs={[
          {
            value: 'documents',
            label: 'Documents',
            content: (
              <div className={styles.page}>
                {mayWrite && <UploadArea />}
                <ReadingList mayWrite={mayWrite} />
                <DocumentList
                  filter={{ q, type }}
                  mayWrite={mayWrite}
                  onFilter={(next) => setState({ q: next.q || undefined, type: next.type || undefined })}
                />
              </div>
            ),
          },
          {
            value: 'search',
            label: 'Search passages',
            content: (
              <PassageSearch
                query={query}
                memories={memories}
                onSearch={(next) =>
                  setState({ query: next.query || undefined, memories: next.memories || undefined })
                }
              />
            ),
          },
        ]}
      />
    </>
  );
};

export default KnowledgePage;
