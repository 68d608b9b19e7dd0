import { X } from 'lucide-react';
import type { MemoryEntity, MemoryGraph } from 'pentarch-sdk';
import { lazy, type ReactNode, Suspense } from 'react';
import { IconButton } from '../../components/button.tsx';
import { Count } from '../../components/figures.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { kindColour } from './colours.ts';
import { Nothing } from './entities-table.tsx';
import { EntityDetail } from './entity-detail.tsx';
import styles from './memory.module.css';
import type { Names } from './relations-of.tsx';
import type { TypeCount } from './shapes.ts';

const GraphCanvas = lazy(() => import('./graph-canvas.tsx'));

const MOST_TIED = 10;

interface LegendProps {
  graph: MemoryGraph;
  types: readonly TypeCount[];
  type: string;
  degrees: ReadonlyMap<string, number>;
  onType: (type: string | undefined) => void;
  onOpen: (id: string) => void;
}

const LEGEND_TYPES = 12;

/** Beside the graph while nothing is open: what the colours mean, and where to begin. */
const Legend = ({ graph, types, type, degrees, onType, onOpen }: LegendProps) => {
  const tied = graph.entities
    .filter((one) => (degrees.get(one.id) ?? 0) > 0)
    .toSorted((a, b) => (degrees.get(b.id) ?? 0) - (degrees.get(a.id) ?? 0))
    .slice(0, MOST_TIED);
  return (
    <>
      <section className={styles.section} aria-label="Types">
        <h3>Types</h3>
        <ul className={styles.legend}>
          {types.slice(0, LEGEND_TYPES).map((one) => (
            <li key={one.type}>
              <button
                type="button"
                className={styles.legendRow}
                aria-pressed={one.type === type}
                onClick={() => onType(one.type === type ? undefined : one.type)}
              >
                <span
                  className={styles.swatch}
                  style={{ background: kindColour(one.hue) }}
                  aria-hidden="true"
                />
                <span className={styles.oneLine}>{one.type}</span>
                <Count value={one.count} />
              </button>
            </li>
          ))}
        </ul>
        {types.length > LEGEND_TYPES && (
          <p className={styles.quiet}>and {types.length - LEGEND_TYPES} more, by the filter above</p>
        )}
      </section>
      {tied.length > 0 && (
        <section className={styles.section} aria-label="Most tied">
          <h3>Most tied</h3>
          <ul className={styles.legend}>
            {tied.map((one) => (
              <li key={one.id}>
                <button type="button" className={styles.legendRow} onClick={() => onOpen(one.id)}>
                  <bdi className={styles.oneLine}>{one.name}</bdi>
                  <Count value={degrees.get(one.id) ?? null} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
};

interface GraphTabProps {
  graph: { data: MemoryGraph | undefined; error: unknown; retry: () => void };
  types: readonly TypeCount[];
  matches: ReadonlySet<string> | null;
  type: string;
  names: Names;
  degrees: ReadonlyMap<string, number>;
  open: string;
  /** The details stand beside the graph; else the page shows them in a drawer. */
  wide: boolean;
  start: ReactNode;
  onOpen: (id: string | undefined) => void;
  onType: (type: string | undefined) => void;
}

export const GraphTab = ({ graph, types, wide, open, start, onOpen, ...rest }: GraphTabProps) => {
  const { data, error, retry } = graph;
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={retry} />;
  if (data?.entities.length === 0) return <Nothing start={start} />;
  const caption =
    data === undefined ? (
      'Reading …'
    ) : (
      <>
        <Count value={data.entities.length} /> entities, <Count value={data.relations.length} /> relations
        that hold
        {rest.matches !== null && (
          <>
            {' · '}
            <strong>
              <Count value={rest.matches.size} /> found
            </strong>
          </>
        )}
        {data.truncated && ' · the newest; the tables hold the rest'}
      </>
    );
  const skeleton = (
    <>
      <div className={styles.canvas}>
        <Skeleton height="100%" />
      </div>
      <div className={styles.below}>
        <p className={styles.caption}>{caption}</p>
      </div>
    </>
  );
  const head = (entity: MemoryEntity | undefined) => (
    <div className={styles.asideHead}>
      <h2>{entity === undefined ? <Skeleton width="8rem" /> : <bdi>{entity.name}</bdi>}</h2>
      <IconButton label="Close details" icon={<X size={16} />} onClick={() => onOpen(undefined)} />
    </div>
  );
  return (
    <div className={styles.explore}>
      <div className={styles.graph}>
        {data === undefined ? (
          skeleton
        ) : (
          <Suspense fallback={skeleton}>
            <GraphCanvas
              graph={data}
              types={types}
              matches={rest.matches}
              open={open}
              caption={caption}
              onOpen={onOpen}
            />
          </Suspense>
        )}
      </div>
      <aside className={styles.aside} aria-label="Details">
        {data === undefined ? (
          <Skeleton height="20rem" />
        ) : wide && open !== '' ? (
          <EntityDetail
            key={open}
            id={open}
            names={rest.names}
            head={head}
            onOpen={onOpen}
            onGone={() => onOpen(undefined)}
          />
        ) : (
          <Legend
            graph={data}
            types={types}
            type={rest.type}
            degrees={rest.degrees}
            onType={rest.onType}
            onOpen={onOpen}
          />
        )}
      </aside>
    </div>
  );
};
