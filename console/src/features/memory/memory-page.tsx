import { Download, Ellipsis, Plus, Upload } from 'lucide-react';
import { useDeferredValue, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Drawer } from '../../components/dialog.tsx';
import { Checkbox, Input } from '../../components/field.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { PageHead, Panel } from '../../components/surface.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useToast } from '../../components/toast.tsx';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay } from '../../lib/me.ts';
import { saveFile } from '../../lib/text.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { EntitiesTable } from './entities-table.tsx';
import { EntityDetail } from './entity-detail.tsx';
import { NewEntity, TYPES_LIST } from './entity-form.tsx';
import { EntityName } from './entity-name.tsx';
import { GraphTab } from './graph-tab.tsx';
import styles from './memory.module.css';
import { useGraph, useTransfer } from './queries.ts';
import { RelationDrawer, RelationsTable } from './relations-table.tsx';
import { matchesOf, typesOf } from './shapes.ts';

const TABS = ['graph', 'entities', 'relations'] as const;
const RELATION_TYPES = 'memory-relation-types';
const WIDE = '(min-width: 64rem)';

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const parse = (raw: Readonly<Record<string, unknown>>) => ({
  tab: TABS.find((one) => one === raw.tab) ?? 'graph',
  q: text(raw.q).slice(0, 200),
  type: text(raw.type).slice(0, 100),
  /** Of relations. */
  relation: text(raw.relation).slice(0, 100),
  now: raw.now === true,
  /** Id of the entity that is open. */
  open: text(raw.open),
  /** Id of the relation that is open. */
  tie: text(raw.tie),
});

const useWide = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      const media = matchMedia(WIDE);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(WIDE).matches,
  );

const Transfer = ({ mayWrite }: { mayWrite: boolean }) => {
  const { download, upload } = useTransfer();
  const toast = useToast();
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <Menu trigger={<IconButton label="Import and export" kind="normal" icon={<Ellipsis size={16} />} />}>
        <MenuItem
          icon={<Download size={14} />}
          onSelect={() =>
            download.mutate(undefined, {
              onSuccess: (lines) => saveFile('memory.jsonl', 'application/x-ndjson', lines),
              onError: toast.failed,
            })
          }
        >
          Export as JSON Lines
        </MenuItem>
        {mayWrite && (
          <MenuItem icon={<Upload size={14} />} onSelect={() => file.current?.click()}>
            Import JSON Lines …
          </MenuItem>
        )}
      </Menu>
      <input
        ref={file}
        type="file"
        hidden
        aria-label="Memory to import"
        data-testid="memory-file"
        accept=".jsonl,.ndjson,.json,application/x-ndjson"
        onChange={(event) => {
          const chosen = event.target.files?.[0];
          event.target.value = '';
          if (chosen === undefined) return;
          upload.mutate(chosen, {
            onSuccess: ({ entities, relations, skipped }) =>
              toast.done(
                `${entities} entities and ${relations} relations are imported, ${skipped} lines skipped`,
              ),
            onError: toast.failed,
          });
        }}
      />
    </>
  );
};

const MemoryPage = () => {
  const [state, setState] = useUrlState(parse);
  const { tab, q, type, relation, now, open, tie } = state;
  const graph = useGraph({ isMain: tab === 'graph' });
  const wide = useWide();
  const mayWrite = useMay('memory:write');
  const toast = useToast();
  const [adding, setAdding] = useState(false);
  useLiveRefresh(['memory.'], ['memory']);

  const { data } = graph;
  const types = useMemo(() => typesOf(data?.entities ?? []), [data]);
  const names = useMemo(() => new Map((data?.entities ?? []).map((one) => [one.id, one.name])), [data]);
  const relationTypes = useMemo(
    () => [...new Set((data?.relations ?? []).map((one) => one.relation_type))].toSorted(),
    [data],
  );
  const degrees = useMemo(() => {
    const counts = new Map((data?.entities ?? []).map((one) => [one.id, 0]));
    for (const one of data?.relations ?? []) {
      for (const end of new Set([one.from_entity_id, one.to_entity_id])) {
        counts.set(end, (counts.get(end) ?? 0) + 1);
      }
    }
    return counts;
  }, [data]);
  const [wanted, wantedType] = [useDeferredValue(q), useDeferredValue(type)];
  const wantedRelation = useDeferredValue(relation);
  const matches = useMemo(
    () => (data === undefined ? null : matchesOf(data, wanted, wantedType)),
    [data, wanted, wantedType],
  );

  const openEntity = (id: string | undefined): void => setState({ open: id, tie: undefined });
  const start = mayWrite ? (
    <Button kind="primary" onClick={() => setAdding(true)}>
      New entity
    </Button>
  ) : undefined;
  const filters = (
    <search className={styles.filters} aria-label="Search the memory">
      <Input
        label="Search names and facts"
        type="search"
        maxLength={200}
        value={q}
        onChange={(event) => setState({ q: event.target.value || undefined })}
        onKeyDown={(event) => {
          // On the graph, Enter goes to what is meant: the name that is typed, else the first that holds it.
          if (event.key !== 'Enter' || tab !== 'graph' || data === undefined) return;
          const found = matchesOf(data, q, type);
          const all = data.entities.filter((one) => found?.has(one.id) === true);
          const same = all.find((one) => one.name.toLowerCase() === q.trim().toLowerCase());
          const best = same ?? all[0];
          if (best !== undefined) openEntity(best.id);
        }}
      />
      <Input
        label="Entity type"
        type="search"
        list={TYPES_LIST}
        placeholder="Any"
        maxLength={100}
        value={type}
        onChange={(event) => setState({ type: event.target.value || undefined })}
      />
    </search>
  );

  return (
    <>
      <PageHead
        title="Memory"
        about="What the agents remember of people, projects and things, where it comes from, and how it belongs together."
        actions={
          <>
            <Transfer mayWrite={mayWrite} />
            {mayWrite && (
              <Button kind="primary" onClick={() => setAdding(true)}>
                <Plus size={14} aria-hidden="true" /> New entity
              </Button>
            )}
          </>
        }
      />
      <datalist id={TYPES_LIST}>
        {types.map((one) => (
          <option key={one.type} value={one.type} />
        ))}
      </datalist>
      <datalist id={RELATION_TYPES}>
        {relationTypes.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Tabs
        value={tab}
        onChange={(next) =>
          setState({ tab: next === 'graph' ? undefined : next, open: undefined, tie: undefined })
        }
        tabs={[
          {
            value: 'graph',
            label: 'Graph',
            content: (
              <Panel flush>
                {filters}
                <GraphTab
                  graph={{ data, error: graph.error, retry: () => void graph.refetch() }}
                  types={types}
                  matches={matches}
                  type={type}
                  names={names}
                  degrees={degrees}
                  open={open}
                  wide={wide}
                  start={start}
                  onOpen={openEntity}
                  onType={(next) => setState({ type: next })}
                />
              </Panel>
            ),
          },
          {
            value: 'entities',
            label: 'Entities',
            content: (
              <Panel flush>
                {filters}
                <EntitiesTable
                  q={wanted.trim()}
                  type={wantedType.trim()}
                  types={types}
                  degrees={degrees}
                  start={start}
                  onOpen={openEntity}
                  onClear={() => setState({ q: undefined, type: undefined })}
                />
              </Panel>
            ),
          },
          {
            value: 'relations',
            label: 'Relations',
            content: (
              <Panel flush>
                <search className={styles.filters} aria-label="Filter relations">
                  <Input
                    label="Relation type"
                    type="search"
                    list={RELATION_TYPES}
                    placeholder="Any"
                    maxLength={100}
                    value={relation}
                    onChange={(event) => setState({ relation: event.target.value || undefined })}
                  />
                  <div className={styles.check}>
                    <Checkbox
                      label="Only what holds now"
                      checked={now}
                      onChange={(next) => setState({ now: next || undefined })}
                    />
                  </div>
                </search>
                <RelationsTable
                  type={wantedRelation.trim()}
                  now={now}
                  names={names}
                  onOpen={(id) => setState({ tie: id, open: undefined })}
                  onClear={() => setState({ relation: undefined, now: undefined })}
                />
              </Panel>
            ),
          },
        ]}
      />
      <Drawer
        open={open !== '' && !(tab === 'graph' && wide)}
        onClose={() => openEntity(undefined)}
        title={open === '' ? 'Entity' : <EntityName id={open} known={names.get(open)} />}
      >
        {open !== '' && (
          <EntityDetail
            key={open}
            id={open}
            names={names}
            onOpen={openEntity}
            onGone={() => openEntity(undefined)}
          />
        )}
      </Drawer>
      <RelationDrawer
        id={tie}
        names={names}
        onClose={() => setState({ tie: undefined })}
        onOpenEntity={openEntity}
      />
      {adding && (
        <NewEntity
          onClose={() => setAdding(false)}
          onMade={(entity) => {
            setAdding(false);
            toast.done(`${entity.name} is remembered`);
            openEntity(entity.id);
          }}
        />
      )}
    </>
  );
};

export default MemoryPage;
