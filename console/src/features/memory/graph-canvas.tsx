import { Maximize, Minus, Plus, Waypoints } from 'lucide-react';
import type { MemoryGraph } from 'pentarch-sdk';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from '../../components/button.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useIsDark } from '../../lib/theme.ts';
import { readColours } from './colours.ts';
import { createDrawing, type Drawing } from './drawing.ts';
import styles from './memory.module.css';
import type { TypeCount } from './shapes.ts';

interface GraphCanvasProps {
  graph: MemoryGraph;
  types: readonly TypeCount[];
  /** What a search means; the rest steps back. null: everything. */
  matches: ReadonlySet<string> | null;
  open: string;
  /** How much there is, below the picture. */
  caption: ReactNode;
  onOpen: (id: string | undefined) => void;
}

/** Loaded apart, with its library. All that it shows stands in the tables too: this is a picture of them. */
const GraphCanvas = ({ graph, types, matches, open, caption, onOpen }: GraphCanvasProps) => {
  const host = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const opened = useRef(onOpen);
  const [settled, setSettled] = useState(false);
  const [failed, setFailed] = useState(false);
  const dark = useIsDark();
  useEffect(() => {
    opened.current = onOpen;
  });
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    try {
      drawing.current = createDrawing({
        host: element,
        colours: readColours(element),
        font: getComputedStyle(element).fontFamily,
        still: matchMedia('(prefers-reduced-motion: reduce)').matches,
        onOpen: (id) => opened.current(id),
        onSettled: setSettled,
      });
    } catch {
      setFailed(true);
    }
    return () => {
      drawing.current?.destroy();
      drawing.current = null;
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `dark` changes what the tokens resolve to
  useEffect(() => {
    if (host.current !== null) drawing.current?.recolour(readColours(host.current));
  }, [dark]);
  useEffect(() => drawing.current?.show(graph, types), [graph, types]);
  useEffect(() => drawing.current?.focus({ matches, open }), [matches, open]);
  useEffect(() => {
    if (settled && open !== '') drawing.current?.goTo(open);
  }, [settled, open]);

  if (failed) {
    return (
      <EmptyState icon={Waypoints} title="This browser cannot draw the graph">
        It needs WebGL, which is switched off here. “Entities” and “Relations” hold everything that the graph
        would show.
      </EmptyState>
    );
  }
  return (
    <>
      <div className={styles.canvas} data-settled={settled} data-nodes={graph.entities.length}>
        <div
          ref={host}
          className={styles.stage}
          role="img"
          aria-label={`Graph of ${graph.entities.length} entities and ${graph.relations.length} relations; the tabs Entities and Relations hold the same as tables`}
        />
        {!settled && (
          <p className={styles.placing} role="status">
            Arranging …
          </p>
        )}
      </div>
      <div className={styles.below}>
        <p className={styles.caption}>{caption}</p>
        <IconButton
          label="Zoom out"
          icon={<Minus size={15} />}
          onClick={() => drawing.current?.zoom('out')}
        />
        <IconButton label="Zoom in" icon={<Plus size={15} />} onClick={() => drawing.current?.zoom('in')} />
        <IconButton
          label="Show all"
          icon={<Maximize size={13} />}
          onClick={() => drawing.current?.zoom('fit')}
        />
      </div>
    </>
  );
};

/** Loaded apart: `lazy(() => import('./graph-canvas.tsx'))`. */
export default GraphCanvas;
