/** A stretch of text on one base line, in points. Turned and vertical text is told in its own frame: it runs to the right, y grows upwards. */
export interface PdfRun {
  text: string;
  x: number;
  end: number;
  y: number;
  size: number;
  /** Text of another frame never shares a line with this. */
  frame: number;
  /** The run reads from right to left; its text is in logical order. */
  rtl: boolean;
  /** A blank is drawn in front of it, however little of it is seen. */
  spaced?: boolean;
}

/** Smaller text is meant for no human reader. */
export const MIN_SIZE_PT = 2;

/** Frames of text that is turned by 0, 90, 180 and 270 degrees; of vertical writing. */
export const VERTICAL_FRAME = 4;
export const frameOf = (a: number, b: number): number =>
  (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;

/** A point of the page in the frame's own coordinates. */
export const inFrame = (frame: number, x: number, y: number): [x: number, y: number] => {
  switch (frame) {
    case 1:
      return [y, -x];
    case 2:
      return [-x, -y];
    case 3:
      return [-y, x];
    // Columns from right to left become lines from top to bottom.
    case VERTICAL_FRAME:
      return [-y, x];
    default:
      return [x, y];
  }
};

/** Letters of Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms. */
export const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
