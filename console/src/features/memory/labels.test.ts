import { describe, expect, it } from 'vitest';
import { type Box, NAME_PX, placeName } from './labels.ts';

const PICTURE = { width: 400, height: 300 };
const NODE = { x: 200, y: 150, radius: 10 };
const WIDTH = 60;
const place = (names: Box[] = [], nodes = [NODE], node = NODE) =>
  placeName(node, WIDTH, PICTURE, names, nodes);
const right: Box = { left: 214, top: 143, right: 274, bottom: 157 };
const left: Box = { left: 126, top: 143, right: 186, bottom: 157 };

describe('the name of a node', () => {
  it('stands to its right where there is room', () => {
    expect(place()).toEqual(right);
  });
  it('goes to the left, below or above where another name stands', () => {
    expect(place([right])).toEqual(left);
    expect(place([right, left])?.top).toBe(NODE.y + NODE.radius + 4);
    expect(place([right, left, { left: 170, top: 160, right: 230, bottom: 180 }])?.bottom).toBe(
      NODE.y - NODE.radius - 4,
    );
  });
  it('does not lie upon another node while another place is free', () => {
    expect(place([], [NODE, { x: 240, y: 150, radius: 8 }])).toEqual(left);
  });
  it('covers a node rather than be left out, and never a name', () => {
    const ring = [right, left].flatMap((box) => [
      { x: (box.left + box.right) / 2, y: 150, radius: 8 },
      { x: 200, y: 171, radius: 8 },
      { x: 200, y: 129, radius: 8 },
      ...[165, 235].flatMap((x) => [
        { x, y: 167, radius: 6 },
        { x, y: 133, radius: 6 },
      ]),
    ]);
    expect(place([], [NODE, ...ring])).toEqual(right);
    const all: Box = { left: 0, top: 0, right: PICTURE.width, bottom: PICTURE.height };
    expect(place([all])).toBeNull();
  });
  it('stays within the picture', () => {
    const atTheEdge = { ...NODE, x: PICTURE.width - 20 };
    expect(place([], [atTheEdge], atTheEdge)?.right).toBe(atTheEdge.x - atTheEdge.radius - 4);
    const inTheCorner = { x: 5, y: 5, radius: 5 };
    const box = place([], [inTheCorner], inTheCorner);
    expect(box === null || box.top >= 0).toBe(true);
    expect(NAME_PX).toBeGreaterThan(0);
  });
});
