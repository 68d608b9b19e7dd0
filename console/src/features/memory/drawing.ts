import Graph from 'graphology';
import type { MemoryGraph } from 'pentarch-sdk';
import Sigma from 'sigma';
import type { EdgeDisplayData, NodeDisplayData } from 'sigma/types';
import type { Colours } from './colours.ts';
import { type Box, type Disc, NAME_PX, placeName } from './labels.ts';
import type { LayoutInput, LayoutOutput } from './layout.worker.ts';
import { labelOf, type TypeCount, words } from './shapes.ts';

/** The graph on its canvas: sigma draws it with WebGL, a worker places it; React tells what is to be seen. */

/** What is looked at; everything else steps back. */
export interface Focus {
  /** null: all. */
  matches: ReadonlySet<string> | null;
  open: string;
}

export interface Drawing {
  show(graph: MemoryGraph, types: readonly TypeCount[]): void;
  focus(focus: Focus): void;
  recolour(colours: Colours): void;
  /** Moves so that the node stands in the middle. */
  goTo(id: string): void;
  zoom(direction: 'in' | 'out' | 'fit'): void;
  destroy(): void;
}

interface DrawingOptions {
  host: HTMLElement;
  colours: Colours;
  font: string;
  /** Nothing moves by itself: places appear when they are final, the view jumps. */
  still: boolean;
  onOpen: (id: string | undefined) => void;
  onSettled: (settled: boolean) => void;
}

interface NodeData {
  x: number;
  y: number;
  size: number;
  label: string;
  hue: number;
}
interface EdgeData {
  label: string;
  size: number;
  type: 'arrow' | 'line';
}

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** A start that is the same each time, so that the picture is too. */
const startOf = (index: number): { x: number; y: number } => {
  const distance = 10 * Math.sqrt(index + 1);
  return { x: distance * Math.cos(index * GOLDEN_ANGLE), y: distance * Math.sin(index * GOLDEN_ANGLE) };
};

const CALM_MS = 300;
/** Above, heads of arrows are neither seen nor cheap. */
const ARROWS = 1_500;
const roundsFor = (nodes: number): number => (nodes > 2_000 ? 160 : nodes > 500 ? 240 : 400);
/** Radius in pixels: by what a node is tied to, and smaller the more there are. */
const sizeOf = (degree: number, nodes: number): number =>
  Math.min(18, 4 + 2.1 * Math.sqrt(degree)) * Math.max(0.3, Math.min(1, Math.sqrt(250 / nodes)));
/** Up to here every name is drawn, where there is room. */
const FEW = 80;
const ROOMY_PX = 600;

const roundBox = (context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number) => {
  context.beginPath();
  context.roundRect(x, y, width, height, 4);
  context.fill();
};

/** Throws where the browser has no WebGL. */
export const createDrawing = (options: DrawingOptions): Drawing => {
  const { host, font, still, onOpen, onSettled } = options;
  let { colours } = options;
  let focus: Focus = { matches: null, open: '' };
  let hovered = '';
  let worker: Worker | null = null;
  /** Where names stand already in this picture. */
  let taken: Box[] = [];
  /** Where nodes stand in this picture, as long as there are few: names do not cover them. */
  let discs: readonly Disc[] | null = null;
  const graph = new Graph<NodeData, EdgeData>({ type: 'directed', multi: true });

  /** The node whose surroundings are shown: what is pointed at, else what is open. */
  const centre = (): string => (hovered !== '' ? hovered : graph.hasNode(focus.open) ? focus.open : '');

  const isSeen = (id: string): boolean => {
    const middle = centre();
    if (middle !== '') return id === middle || graph.areNeighbors(id, middle);
    return focus.matches === null || focus.matches.has(id);
  };

  const discsNow = (): readonly Disc[] => {
    discs ??=
      graph.order > FEW
        ? []
        : graph.mapNodes((_id, { x, y, size }) => ({
            ...sigma.graphToViewport({ x, y }),
            radius: sigma.scaleSize(size),
          }));
    return discs;
  };

  const sigma = new Sigma<NodeData, EdgeData>(graph, host, {
    allowInvalidContainer: true,
    labelFont: font,
    labelSize: 12,
    labelWeight: '500',
    labelColor: { color: colours.ink },
    labelDensity: 0.6,
    labelGridCellSize: 110,
    labelRenderedSizeThreshold: 5,
    edgeLabelFont: font,
    edgeLabelSize: 11,
    edgeLabelColor: { color: colours.ink },
    renderEdgeLabels: true,
    defaultEdgeType: 'line',
    zIndex: true,
    stagePadding: 48,
    minCameraRatio: 0.02,
    maxCameraRatio: 4,
    ...(still ? { inertiaDuration: 1, zoomDuration: 1 } : {}),
    nodeReducer: (id, { x, y, size, label, hue }): Partial<NodeDisplayData> => {
      const seen = isSeen(id);
      const isOpen = id === focus.open;
      return {
        x,
        y,
        size: isOpen ? size + 2 : size,
        label: seen ? label : '',
        color: seen ? (colours.kinds[hue] ?? colours.ink) : colours.line,
        zIndex: isOpen ? 2 : seen ? 1 : 0,
        highlighted: isOpen,
        forceLabel:
          graph.order <= FEW || isOpen || (centre() !== '' && seen) || (focus.matches !== null && seen),
      };
    },
    edgeReducer: (id, { label, size, type }): Partial<EdgeDisplayData> => {
      const middle = centre();
      const touches = middle !== '' && graph.hasExtremity(id, middle);
      const seen = middle === '' ? graph.extremities(id).every(isSeen) : touches;
      return {
        label: touches ? label : '',
        size: touches ? size + 0.6 : size,
        color: touches ? colours.accent : seen ? colours.edge : colours.line,
        hidden: !seen && middle !== '' && graph.size > ARROWS,
        forceLabel: touches,
        zIndex: touches ? 1 : 0,
        type,
      };
    },
    defaultDrawNodeLabel: (context, { x, y, size, label }) => {
      if (typeof label !== 'string' || label === '') return;
      context.font = `500 12px ${font}`;
      const box = placeName(
        { x, y, radius: size },
        context.measureText(label).width,
        sigma.getDimensions(),
        taken,
        discsNow(),
      );
      if (box === null) return;
      taken.push(box);
      context.lineJoin = 'round';
      context.lineWidth = 3;
      context.strokeStyle = colours.ground;
      context.strokeText(label, box.left, box.top + NAME_PX - 3);
      context.fillStyle = colours.ink;
      context.fillText(label, box.left, box.top + NAME_PX - 3);
    },
    defaultDrawNodeHover: (context, { x, y, size, label, color }) => {
      context.font = `600 12px ${font}`;
      const text = typeof label === 'string' ? label : '';
      if (text !== '') {
        context.shadowColor = '#00000040';
        context.shadowBlur = 10;
        context.fillStyle = colours.raised;
        roundBox(context, x - size - 4, y - 12, size * 2 + context.measureText(text).width + 18, 24);
        context.shadowBlur = 0;
        context.fillStyle = colours.ink;
        context.fillText(text, x + size + 6, y + 4);
      }
      context.beginPath();
      context.arc(x, y, size + 2, 0, Math.PI * 2);
      context.lineWidth = 2;
      context.strokeStyle = color;
      context.stroke();
    },
  });

  sigma.on('beforeRender', () => {
    taken = [];
    discs = null;
  });
  const redraw = (): void => {
    sigma.refresh({ skipIndexation: true });
  };
  sigma.on('enterNode', ({ node }) => {
    hovered = node;
    host.style.cursor = 'pointer';
    redraw();
  });
  sigma.on('leaveNode', () => {
    hovered = '';
    host.style.cursor = '';
    redraw();
  });
  sigma.on('clickNode', ({ node }) => onOpen(node));
  sigma.on('clickStage', () => onOpen(undefined));

  const move = (state: { x?: number; y?: number; ratio?: number }): void => {
    const camera = sigma.getCamera();
    if (still) camera.setState(state);
    else void camera.animate(state, { duration: CALM_MS });
  };

  /** Begins from where the nodes stand. */
  const place = (): void => {
    worker?.terminate();
    const ids = graph.nodes();
    if (ids.length === 0) return onSettled(true);
    const indexOf = new Map(ids.map((id, index) => [id, index]));
    const places = new Float32Array(ids.length * 2);
    for (const [index, id] of ids.entries()) {
      places[index * 2] = graph.getNodeAttribute(id, 'x');
      places[index * 2 + 1] = graph.getNodeAttribute(id, 'y');
    }
    const edges = new Uint32Array(
      graph.mapEdges((_id, _data, from, to) => [indexOf.get(from) ?? 0, indexOf.get(to) ?? 0]).flat(),
    );
    const input: LayoutInput = { places, edges, rounds: roundsFor(ids.length) };
    worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<LayoutOutput>) => {
      if (!still || data.settled) {
        let index = 0;
        graph.updateEachNodeAttributes(
          (_id, node) => {
            const next = {
              ...node,
              x: data.places[index * 2] ?? 0,
              y: data.places[index * 2 + 1] ?? 0,
            };
            index++;
            return next;
          },
          { attributes: ['x', 'y'] },
        );
      }
      if (data.settled) {
        worker?.terminate();
        worker = null;
        onSettled(true);
      }
    });
    onSettled(false);
    worker.postMessage(input, [places.buffer, edges.buffer]);
  };

  return {
    show({ entities, relations }, types) {
      const before = new Map(graph.mapNodes((id, { x, y }) => [id, { x, y }]));
      const edgesBefore = graph.edges().join();
      const hueOf = new Map(types.map(({ type, hue }) => [type, hue]));
      const ids = new Set(entities.map((one) => one.id));
      const ties = relations.filter((one) => ids.has(one.from_entity_id) && ids.has(one.to_entity_id));
      const neighbour = new Map(
        ties.flatMap((one) => [
          [one.from_entity_id, one.to_entity_id],
          [one.to_entity_id, one.from_entity_id],
        ]),
      );
      graph.clear();
      for (const [index, entity] of entities.entries()) {
        const near = before.get(neighbour.get(entity.id) ?? '');
        const start = startOf(index);
        graph.addNode(entity.id, {
          ...(before.get(entity.id) ??
            (near === undefined ? start : { x: near.x + start.x / 10, y: near.y + start.y / 10 })),
          size: 4,
          label: labelOf(entity.name),
          hue: hueOf.get(entity.entity_type) ?? 0,
        });
      }
      const few = entities.length <= FEW;
      sigma.setSetting('labelRenderedSizeThreshold', few ? 0 : 4);
      sigma.setSetting('labelGridCellSize', few && host.clientWidth > ROOMY_PX ? 50 : 110);
      const type = ties.length > ARROWS ? 'line' : 'arrow';
      const size = ties.length > ARROWS ? 0.6 : 1.4;
      for (const one of ties) {
        graph.addEdgeWithKey(one.id, one.from_entity_id, one.to_entity_id, {
          label: labelOf(words(one.relation_type)),
          size,
          type,
        });
      }
      graph.updateEachNodeAttributes((id, node) => ({
        ...node,
        size: sizeOf(graph.degree(id), graph.order),
      }));
      const same =
        before.size === graph.order &&
        graph.everyNode((id) => before.has(id)) &&
        edgesBefore === graph.edges().join();
      if (same) onSettled(true);
      else place();
    },
    focus(next) {
      focus = next;
      redraw();
    },
    recolour(next) {
      colours = next;
      sigma.setSetting('edgeLabelColor', { color: next.ink });
      redraw();
    },
    goTo(id) {
      const at = sigma.getNodeDisplayData(id);
      if (at !== undefined) move({ x: at.x, y: at.y, ratio: Math.min(sigma.getCamera().ratio, 0.5) });
    },
    zoom(direction) {
      const { ratio } = sigma.getCamera();
      if (direction === 'fit') move({ x: 0.5, y: 0.5, ratio: 1 });
      else move({ ratio: sigma.getCamera().getBoundedRatio(direction === 'in' ? ratio / 1.6 : ratio * 1.6) });
    },
    destroy() {
      worker?.terminate();
      sigma.kill();
    },
  };
};
