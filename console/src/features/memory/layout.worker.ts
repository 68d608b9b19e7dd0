import Graph from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';

/**
 * Places the nodes apart from the page's own thread, so that thousands of them leave it smooth. ForceAtlas2 (Jacomy et al.,
 * PLoS ONE 9(6), 2014), some rounds at a time; after each batch the places so far go back.
 */
export interface LayoutInput {
  /** x and y of each node, one after the other. */
  places: Float32Array;
  /** Indices of the two ends of each edge, one after the other. */
  edges: Uint32Array;
  rounds: number;
}
export interface LayoutOutput {
  places: Float32Array;
  settled: boolean;
}

const ROUNDS_A_BATCH = 20;
/** From here on the exact forces cost more than they are worth. */
const MANY = 400;
/** There, what hangs on one other node hangs on a long string, or it would lie upon it. */
const LONG_STRING = 0.2;

const graphOf = ({ places, edges }: LayoutInput): Graph => {
  const graph = new Graph({ type: 'undirected' });
  for (let i = 0; i * 2 < places.length; i++)
    graph.addNode(i, { x: places[i * 2] ?? 0, y: places[i * 2 + 1] ?? 0 });
  for (let i = 0; i + 1 < edges.length; i += 2) {
    const [from, to] = [edges[i], edges[i + 1]];
    if (from !== to && !graph.hasEdge(from, to)) graph.addEdge(from, to);
  }
  if (graph.order > MANY) {
    graph.updateEachEdgeAttributes((_edge, data, from, to) => ({
      ...data,
      weight: Math.min(graph.degree(from), graph.degree(to)) === 1 ? LONG_STRING : 1,
    }));
  }
  return graph;
};

addEventListener('message', ({ data }: MessageEvent<LayoutInput>) => {
  const graph = graphOf(data);
  const settings = {
    ...forceAtlas2.inferSettings(graph),
    barnesHutOptimize: graph.order > MANY,
    strongGravityMode: true,
    gravity: graph.order > MANY ? 0.008 : 0.05,
    scalingRatio: 12,
    slowDown: 3,
    edgeWeightInfluence: 1,
  };
  for (let done = 0; done < data.rounds; done += ROUNDS_A_BATCH) {
    forceAtlas2.assign(graph, { iterations: ROUNDS_A_BATCH, settings });
    const places = new Float32Array(graph.order * 2);
    graph.forEachNode((node, { x, y }) => {
      places[Number(node) * 2] = Number(x);
      places[Number(node) * 2 + 1] = Number(y);
    });
    const output: LayoutOutput = { places, settled: done + ROUNDS_A_BATCH >= data.rounds };
    postMessage(output);
  }
});
