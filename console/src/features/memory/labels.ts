/** Where the name of a node goes, so that it lies neither upon another name nor upon another node. All in pixels. */

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
export interface Disc {
  x: number;
  y: number;
  radius: number;
}

const GAP_PX = 4;
export const NAME_PX = 14;

/** Right of its node, left, below, above, at its corners. */
const placesFor = ({ x, y, radius }: Disc, widthPx: number): readonly Box[] => {
  const beside = (left: number, top: number): Box => ({
    left,
    top,
    right: left + widthPx,
    bottom: top + NAME_PX,
  });
  return [
    beside(x + radius + GAP_PX, y - NAME_PX / 2),
    beside(x - radius - GAP_PX - widthPx, y - NAME_PX / 2),
    beside(x - widthPx / 2, y + radius + GAP_PX),
    beside(x - widthPx / 2, y - radius - GAP_PX - NAME_PX),
    beside(x + radius, y + radius),
    beside(x + radius, y - radius - NAME_PX),
    beside(x - radius - widthPx, y + radius),
    beside(x - radius - widthPx, y - radius - NAME_PX),
  ];
};

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const covers = (box: Box, { x, y, radius }: Disc): boolean =>
  Math.hypot(x - Math.max(box.left, Math.min(x, box.right)), y - Math.max(box.top, Math.min(y, box.bottom))) <
  radius;

/**
 * The best free place within the picture: one that covers no node, else one that covers no name. null: there is none, and
 * the name is left out; nearer by, there is room for it.
 */
export const placeName = (
  node: Disc,
  widthPx: number,
  picture: { width: number; height: number },
  names: readonly Box[],
  nodes: readonly Disc[],
): Box | null => {
  const free = placesFor(node, widthPx).filter(
    (box) =>
      box.left >= 0 &&
      box.right <= picture.width &&
      box.top >= 0 &&
      box.bottom <= picture.height &&
      !names.some((name) => overlaps(box, name)),
  );
  const isOther = (disc: Disc): boolean => disc.x !== node.x || disc.y !== node.y;
  return free.find((box) => !nodes.some((disc) => isOther(disc) && covers(box, disc))) ?? free[0] ?? null;
};
