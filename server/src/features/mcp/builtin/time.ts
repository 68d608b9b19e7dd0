import type { Clock } from '../../../kernel/clock.ts';
import { type BuiltinServer, BuiltinToolError, jsonResult } from '../builtin-runtime.ts';

const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

const timezone = {
  type: 'string',
  description: 'IANA name, for example Europe/Athens; UTC when left out',
  maxLength: 64,
};

interface WallClock {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const formatter = (zone: string): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch {
    throw new BuiltinToolError(`unknown time zone: ${zone}`);
  }
};

const wallClock = (at: number, zone: string): WallClock & { weekday: string } => {
  const parts = new Map(
    formatter(zone)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
  const read = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
  return {
    year: read('year'),
    month: read('month'),
    day: read('day'),
    hour: read('hour'),
    minute: read('minute'),
    second: read('second'),
    weekday: parts.get('weekday') ?? '',
  };
};

const asUtc = (w: WallClock): number => Date.UTC(w.year, w.month - 1, w.day, w.hour, w.minute, w.second);

/** Milliseconds that the zone is ahead of UTC at this moment. */
const offsetMs = (at: number, zone: string): number =>
  asUtc(wallClock(at, zone)) - Math.floor(at / 1000) * 1000;

/**
 * The moment at which the zone's clocks show this. Two rounds, since the offset depends on the moment; a time that is
 * skipped in spring comes out an hour later, as calendars do.
 */
const momentOf = (wall: WallClock, zone: string): number => {
  const target = asUtc(wall);
  const first = target - offsetMs(target, zone);
  return target - offsetMs(first, zone);
};

const two = (n: number): string => String(Math.trunc(Math.abs(n))).padStart(2, '0');

const describe = (at: number, zone: string): Record<string, unknown> => {
  const wall = wallClock(at, zone);
  const offsetMinutes = Math.round(offsetMs(at, zone) / 60_000);
  const offset = `${offsetMinutes < 0 ? '-' : '+'}${two(offsetMinutes / 60)}:${two(offsetMinutes % 60)}`;
  const date = `${String(wall.year).padStart(4, '0')}-${two(wall.month)}-${two(wall.day)}`;
  return {
    timezone: zone,
    datetime: `${date}T${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}${offset}`,
    weekday: wall.weekday,
    utc: new Date(at).toISOString(),
    unix_s: Math.floor(at / 1000),
  };
};

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?)?$/;

/** ISO 8601 with an offset is a moment; without one it is what clocks of the zone show. */
const readMoment = (text: string, zone: string): number => {
  const local = LOCAL.exec(text.trim());
  if (local !== null) {
    const [year, month, day, hour, minute, second] = local.slice(1).map((part) => Number(part ?? 0));
    const wall = { year: year!, month: month!, day: day!, hour: hour!, minute: minute!, second: second! };
    const exists = new Date(asUtc(wall)).toISOString().startsWith(`${local[1]}-${local[2]}-${local[3]}`);
    if (!exists || wall.hour > 23 || wall.minute > 59) throw new BuiltinToolError(`not a time: ${text}`);
    return momentOf(wall, zone);
  }
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new BuiltinToolError(`not a time: ${text}`);
  return at;
};

const zoneOf = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : 'UTC');

/** What time it is, and what it is elsewhere then. */
export const createTimeServer = (clock: Clock): BuiltinServer => ({
  name: 'time',
  title: 'Time',
  version: '1.0.0',
  ownWords: true,
  tools: [
    {
      name: 'get_current_time',
      title: 'Current time',
      description: 'The present date and time in a time zone',
      inputSchema: { type: 'object', properties: { timezone }, additionalProperties: false },
      outputSchema: null,
      annotations: { ...READ_ONLY, idempotentHint: false },
      call: async (args) => jsonResult(describe(clock.now(), zoneOf(args.timezone))),
    },
    {
      name: 'convert_time',
      title: 'Convert a time',
      description: 'A date and time of one time zone in another',
      inputSchema: {
        type: 'object',
        properties: {
          time: {
            type: 'string',
            description:
              'ISO 8601, for example 2026-03-29T14:30; with an offset the source zone does not count',
            maxLength: 64,
          },
          source_timezone: timezone,
          target_timezone: timezone,
        },
        required: ['time', 'target_timezone'],
        additionalProperties: false,
      },
      outputSchema: null,
      annotations: READ_ONLY,
      async call(args) {
        const source = zoneOf(args.source_timezone);
        const target = zoneOf(args.target_timezone);
        const at = readMoment(String(args.time), source);
        const ahead = (offsetMs(at, target) - offsetMs(at, source)) / 3_600_000;
        return jsonResult({
          source: describe(at, source),
          target: describe(at, target),
          difference_h: ahead,
        });
      },
    },
  ],
});
