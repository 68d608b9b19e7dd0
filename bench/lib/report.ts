/** Floors and aims of the platform, and the tables that the bench prints. */
import type { Row } from './measure.ts';

interface Goal {
  figure: string;
  unit: string;
  floor: number;
  aim: number;
  /** True where less is better. */
  less: boolean;
  value(rows: readonly Row[], start: StartFigures | undefined): number | undefined;
}

export interface StartFigures {
  startMs: number;
  restBytes: number;
}

export interface Reached {
  figure: string;
  unit: string;
  value: number | undefined;
  floor: number;
  aim: number;
  floorReached: boolean | undefined;
  aimReached: boolean | undefined;
}

const of =
  (name: string, field: 'ratio' | 'addedP50Ms' | 'addedP99Ms') =>
  (rows: readonly Row[]): number | undefined =>
    rows.find((row) => row.row === name && row.server === 'pentarch')?.[field];

const more = (figure: string, part: string, baseline: string, floor: number, aim: number): Goal => ({
  figure,
  unit: `× ${baseline}`,
  floor,
  aim,
  less: false,
  value: of(part, 'ratio'),
});

const added = (
  figure: string,
  part: string,
  field: 'addedP50Ms' | 'addedP99Ms',
  floor: number,
  aim: number,
): Goal => ({ figure, unit: 'ms', floor, aim, less: true, value: of(part, field) });

export const GOALS: readonly Goal[] = [
  more('POST chat, requests per CPU second', 'chat', 'T', 0.2, 0.35),
  more('POST chat/stream, requests per CPU second', 'stream', 'T', 0.35, 0.6),
  more('streamed tokens per CPU second, 100 live streams', 'tokens', 'T', 0.6, 0.85),
  added('added latency at 1 connection, p50', 'latency', 'addedP50Ms', 2, 0.8),
  added('added latency at 1 connection, p99', 'latency', 'addedP99Ms', 10, 4),
  added('added time to the first token, p50', 'first-token', 'addedP50Ms', 3, 1),
  more('authenticated list, requests per CPU second', 'list', 'bare', 0.3, 0.5),
  {
    figure: 'start when built',
    unit: 's',
    floor: 3,
    aim: 1,
    less: true,
    value: (_rows, start) => (start === undefined ? undefined : start.startMs / 1000),
  },
  {
    figure: 'memory at rest',
    unit: 'MB',
    floor: 350,
    aim: 200,
    less: true,
    value: (_rows, start) => (start === undefined ? undefined : start.restBytes / 1e6),
  },
];

export const reached = (rows: readonly Row[], start: StartFigures | undefined): Reached[] =>
  GOALS.map(({ figure, unit, floor, aim, less, value: read }) => {
    const value = read(rows, start);
    const meets = (goal: number) => (value === undefined ? undefined : less ? value <= goal : value >= goal);
    return { figure, unit, value, floor, aim, floorReached: meets(floor), aimReached: meets(aim) };
  });

const number = (value: number | undefined, digits = 0): string =>
  value === undefined
    ? '–'
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const yesNo = (value: boolean | undefined): string => (value === undefined ? '–' : value ? 'yes' : 'NO');

/** Columns padded to their widest cell; the first `left` columns stand left. */
const table = (lines: readonly (readonly string[])[], left: number): string => {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column < left ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const NAMES: Record<Row['server'], string> = {
  provider: 'provider itself',
  bare: 'bare node:http',
  t: 'T',
  s: 'S',
  pentarch: 'Pentarch',
};

export const rowsTable = (rows: readonly Row[]): string =>
  table(
    [
      [
        'row',
        'server',
        'request',
        'conns',
        'requests',
        'per s',
        'req/CPU s',
        'tokens/CPU s',
        'ratio',
        'p50 ms',
        'p99 ms',
        'added p50',
        'added p99',
        'failed',
      ],
      ...rows.map((row) => [
        row.row,
        NAMES[row.server],
        row.request,
        number(row.connections),
        number(row.requests),
        number(row.requestsPerSecond),
        number(row.perCpuSecond),
        number(row.tokensPerCpuSecond),
        number(row.ratio, 3),
        number(row.p50Ms, 2),
        number(row.p99Ms, 2),
        number(row.addedP50Ms, 2),
        number(row.addedP99Ms, 2),
        number(row.failures),
      ]),
    ],
    3,
  );

export const goalsTable = (goals: readonly Reached[]): string =>
  table(
    [
      ['what it must reach', 'value', 'unit', 'floor', 'reached', 'aim', 'reached'],
      ...goals.map((goal) => [
        goal.figure,
        number(goal.value, goal.unit === 'MB' ? 0 : 2),
        goal.unit,
        String(goal.floor),
        yesNo(goal.floorReached),
        String(goal.aim),
        yesNo(goal.aimReached),
      ]),
    ],
    1,
  );
