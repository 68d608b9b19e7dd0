import { HUES } from './shapes.ts';

/** For `style`, where elements tell the same kinds apart. */
export const kindColour = (hue: number): string => `var(--kind-${hue})`;

/** What the canvas draws with: the tokens, as they are in the theme of now, in the one form that sigma reads. */
export interface Colours {
  kinds: readonly string[];
  ground: string;
  ink: string;
  /** Between two entities; `line` where it steps back. */
  edge: string;
  line: string;
  accent: string;
  raised: string;
}

/** Any CSS colour as `#rrggbb`: painted, and read back. */
const hexOf = (colour: string, host: HTMLElement, brush: CanvasRenderingContext2D): string => {
  const probe = document.createElement('span');
  probe.style.color = colour;
  host.append(probe);
  brush.fillStyle = getComputedStyle(probe).color;
  probe.remove();
  brush.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = brush.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
};

export const readColours = (host: HTMLElement): Colours => {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const brush = canvas.getContext('2d', { willReadFrequently: true });
  const hex = (colour: string): string => (brush === null ? '#808080' : hexOf(colour, host, brush));
  return {
    kinds: Array.from({ length: HUES + 1 }, (_, hue) => hex(kindColour(hue))),
    ground: hex('var(--surface)'),
    ink: hex('var(--ink)'),
    edge: hex('color-mix(in oklab, var(--line-strong) 50%, var(--surface))'),
    line: hex('var(--line)'),
    accent: hex('var(--accent)'),
    raised: hex('var(--raised)'),
  };
};
