import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useIsDark } from '../lib/theme.ts';
import styles from './chart.module.css';

export interface Series {
  label: string;
  /** A token of tokens.css, e.g. `--accent`, or any CSS colour. */
  colour: string;
  values: readonly (number | null)[];
}

interface ChartProps {
  /** Said to screen readers: what is shown; give the figures in a table beside it. */
  label: string;
  kind: 'bars' | 'lines';
  /** Epoch seconds, or names of categories. */
  x: readonly number[] | readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  heightPx?: number;
  /** Counts: no tick between two whole numbers. */
  whole?: boolean;
  /** Names only as many of the bars as there is room for, the last one surely. */
  thin?: boolean;
}

/** 1, 2, 5, 10, 20, … */
const WHOLE_STEPS = Array.from({ length: 30 }, (_, i) => ([1, 2, 5][i % 3] ?? 1) * 10 ** Math.floor(i / 3));

/** Room for a short name below its bar. */
const NAME_PX = 64;

const isNames = (x: readonly number[] | readonly string[]): x is readonly string[] =>
  typeof x[0] === 'string';

const resolveColour = (colour: string, host: HTMLElement): string => {
  const probe = document.createElement('span');
  probe.style.color = colour.startsWith('--') ? `var(${colour})` : colour;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};

/** uPlot in our colours. Draws anew when the theme or the width changes. */
const Chart = ({
  label,
  kind,
  x,
  series,
  format,
  heightPx = 220,
  whole = false,
  thin = false,
}: ChartProps) => {
  const host = useRef<HTMLDivElement>(null);
  const dark = useIsDark();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `dark` changes what the tokens resolve to
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const names = isNames(x) ? x : null;
    const positions = names === null ? x.map(Number) : names.map((_name, index) => index);
    const ink = resolveColour('--ink-3', element);
    const line = resolveColour('--line', element);
    const font = `12px ${getComputedStyle(element).fontFamily}`;
    const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    const bars = uPlot.paths.bars?.({ size: [0.62, 44], radius: 0.12 });
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: heightPx,
        legend: { show: false },
        cursor: { drag: { x: false, y: false } },
        scales: {
          x: names === null ? {} : { time: false, range: [-0.6, names.length - 0.4] },
          y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 28,
            ...(names === null
              ? {}
              : {
                  splits: () => positions,
                  values: (plot: uPlot, splits: number[]) => {
                    const step = thin ? Math.max(1, Math.ceil((names.length * NAME_PX) / plot.width)) : 1;
                    // The last one is always named: for days it is today.
                    const skipped = (at: number): boolean => (names.length - 1 - at) % step !== 0;
                    return splits.map((at) => (skipped(at) ? '' : (names[at] ?? '')));
                  },
                  ...(element.clientWidth < 640 && !thin ? { rotate: -55, size: 78 } : {}),
                }),
          },
          {
            ...axis,
            size: 64,
            ...(whole ? { incrs: WHOLE_STEPS } : {}),
            values: (_plot, splits) => splits.map((value) => format(value)),
          },
        ],
        series: [
          {},
          ...series.map((one) => {
            const colour = resolveColour(one.colour, element);
            return {
              label: one.label,
              stroke: colour,
              width: kind === 'bars' ? 0 : 2,
              points: { show: false },
              ...(kind === 'bars' ? { fill: colour, ...(bars === undefined ? {} : { paths: bars }) } : {}),
            };
          }),
        ],
      },
      [positions, ...series.map((one) => [...one.values])],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [x, series, kind, format, heightPx, whole, thin, dark]);
  return (
    <div ref={host} role="img" aria-label={label} className={styles.chart} style={{ minHeight: heightPx }} />
  );
};

/** Loaded apart: `const Chart = lazy(() => import('../../components/chart.tsx'))`. Keep `x` and `series` stable (useMemo). */
export default Chart;
