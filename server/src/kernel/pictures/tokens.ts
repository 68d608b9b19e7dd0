import type { Picture } from '../picture.ts';

/**
 * What a picture counts as. Each rule is its provider's published one, scaled up where another model of the same family counts
 * more: OpenAI "Images and vision" (tiles of 512 or patches of 32 pixels), Anthropic "Vision" (width × height / 750, at most what
 * its largest size gives), Gemini "Understand and count tokens" (258 for each tile of 768 pixels; 1,120 in its third generation).
 */
type Size = Pick<Picture, 'width' | 'height'>;

/** Names and frames around it. */
const AROUND = 64;

const within = ({ width, height }: Size, long: number, short = Number.POSITIVE_INFINITY): Size => {
  const scale = Math.min(1, long / Math.max(width, height), short / Math.min(width, height));
  return { width: Math.max(1, width * scale), height: Math.max(1, height * scale) };
};

const cells = ({ width, height }: Size, side: number): number =>
  Math.ceil(width / side) * Math.ceil(height / side);

const MOST_PATCHES = 2_500;
/** The largest factor that a model puts on a patch, and on a tile with its base. */
const PATCH_FACTOR = 2.46;
const TILE = { base: 85, each: 170 };
const MINI_TILE = { base: 2_833, each: 5_667 };

const byTiles = (size: Size, { base, each }: typeof TILE): number =>
  base + each * cells(within(within(size, 2_048), Number.POSITIVE_INFINITY, 768), 512);

const openai = (size: Size, model: string): number => {
  if (model.startsWith('gpt-4o-mini')) return byTiles(size, MINI_TILE);
  const patches = Math.min(MOST_PATCHES, cells(size, 32)) * PATCH_FACTOR;
  return Math.max(byTiles(size, TILE), patches);
};

const MOST_OF_ANTHROPIC = 4_784;
const anthropic = (size: Size): number => {
  const { width, height } = within(size, 2_576);
  return Math.min(MOST_OF_ANTHROPIC, Math.max((width * height) / 750, cells({ width, height }, 28)));
};

const GEMINI_TILE = 258;
const GEMINI_3 = 1_120;
const gemini = (size: Size): number => {
  const side = Math.max(256, Math.min(768, Math.floor(Math.min(size.width, size.height) / 1.5)));
  return Math.max(GEMINI_3, GEMINI_TILE * cells(size, side));
};

/** More tokens than a model of the provider counts for the picture; of an unknown one: than any but gpt-4o-mini, by OpenAI's and Anthropic's rules. */
export const pictureTokensBound = (size: Size, model?: { provider: string; name: string }): number => {
  switch (model?.provider) {
    case 'anthropic':
      return AROUND + Math.ceil(anthropic(size));
    case 'google':
      return AROUND + Math.ceil(gemini(size));
    default:
      return AROUND + Math.ceil(Math.max(openai(size, model?.name ?? ''), anthropic(size)));
  }
};

const MOST_ESTIMATED = 1_600;

/** About what most models count. */
export const estimatePictureTokens = ({ width, height }: Size): number =>
  Math.min(MOST_ESTIMATED, Math.max(85, Math.ceil((width * height) / 750)));
