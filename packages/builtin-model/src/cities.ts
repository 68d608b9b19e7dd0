/** Pure: time zones by the names that people use, from the zone names of Intl and a table of well-known places. */

/** Places without a zone name of their own. */
const ALSO: Readonly<Record<string, string>> = {
  'san francisco': 'America/Los_Angeles',
  seattle: 'America/Los_Angeles',
  'las vegas': 'America/Los_Angeles',
  california: 'America/Los_Angeles',
  boston: 'America/New_York',
  miami: 'America/New_York',
  washington: 'America/New_York',
  atlanta: 'America/New_York',
  philadelphia: 'America/New_York',
  montreal: 'America/Toronto',
  ottawa: 'America/Toronto',
  houston: 'America/Chicago',
  dallas: 'America/Chicago',
  texas: 'America/Chicago',
  rio: 'America/Sao_Paulo',
  'rio de janeiro': 'America/Sao_Paulo',
  munich: 'Europe/Berlin',
  münchen: 'Europe/Berlin',
  hamburg: 'Europe/Berlin',
  frankfurt: 'Europe/Berlin',
  cologne: 'Europe/Berlin',
  köln: 'Europe/Berlin',
  germany: 'Europe/Berlin',
  deutschland: 'Europe/Berlin',
  austria: 'Europe/Vienna',
  wien: 'Europe/Vienna',
  geneva: 'Europe/Zurich',
  zürich: 'Europe/Zurich',
  switzerland: 'Europe/Zurich',
  barcelona: 'Europe/Madrid',
  spain: 'Europe/Madrid',
  milan: 'Europe/Rome',
  italy: 'Europe/Rome',
  rom: 'Europe/Rome',
  lyon: 'Europe/Paris',
  france: 'Europe/Paris',
  england: 'Europe/London',
  uk: 'Europe/London',
  manchester: 'Europe/London',
  edinburgh: 'Europe/London',
  ireland: 'Europe/Dublin',
  greece: 'Europe/Athens',
  kiev: 'Europe/Kyiv',
  kyiv: 'Europe/Kyiv',
  beijing: 'Asia/Shanghai',
  china: 'Asia/Shanghai',
  shenzhen: 'Asia/Shanghai',
  mumbai: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  'new delhi': 'Asia/Kolkata',
  bangalore: 'Asia/Kolkata',
  bengaluru: 'Asia/Kolkata',
  kolkata: 'Asia/Kolkata',
  india: 'Asia/Kolkata',
  osaka: 'Asia/Tokyo',
  kyoto: 'Asia/Tokyo',
  japan: 'Asia/Tokyo',
  tokio: 'Asia/Tokyo',
  korea: 'Asia/Seoul',
  hanoi: 'Asia/Ho_Chi_Minh',
  saigon: 'Asia/Ho_Chi_Minh',
  'abu dhabi': 'Asia/Dubai',
  'tel aviv': 'Asia/Jerusalem',
  'cape town': 'Africa/Johannesburg',
  canberra: 'Australia/Sydney',
  wellington: 'Pacific/Auckland',
  'new zealand': 'Pacific/Auckland',
  hawaii: 'Pacific/Honolulu',
  utc: 'UTC',
  gmt: 'UTC',
};

let table: ReadonlyMap<string, string> | null = null;

/** Built at the first use: some 500 names. */
const zones = (): ReadonlyMap<string, string> => {
  if (table !== null) return table;
  const names = new Map<string, string>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const city = zone.split('/').at(-1)?.replaceAll('_', ' ').toLowerCase();
    if (city !== undefined && zone.includes('/')) names.set(city, zone);
  }
  for (const [name, zone] of Object.entries(ALSO)) names.set(name, zone);
  table = names;
  return names;
};

export interface Place {
  /** As the message spells it. */
  name: string;
  zone: string;
  /** Offset in the text. */
  at: number;
}

const MAX_WORDS = 3;
const ZONE_NAME = /\b[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_+-]+){1,2}\b/g;

/** Places with a time zone that a short text names, in its order; the longest name wins. */
export const placesIn = (text: string): Place[] => {
  const found: Place[] = [];
  for (const match of text.matchAll(ZONE_NAME)) {
    if (isZone(match[0])) found.push({ name: match[0], zone: match[0], at: match.index });
  }
  const words = [...text.matchAll(/[\p{L}.'-]+/gu)];
  for (let i = 0; i < words.length; i++) {
    for (let n = Math.min(MAX_WORDS, words.length - i); n > 0; n--) {
      const parts = words.slice(i, i + n);
      const first = parts[0];
      if (first === undefined) continue;
      const name = parts.map((part) => part[0]).join(' ');
      const zone = zones().get(name.toLowerCase().replace(/[.'’]s?$/, ''));
      const inside = found.some(
        (place) => first.index >= place.at && first.index < place.at + place.name.length,
      );
      if (zone === undefined || inside) continue;
      found.push({ name: name.replace(/[.'’]s?$/, ''), zone, at: first.index });
      i += n - 1;
      break;
    }
  }
  return found.sort((a, b) => a.at - b.at);
};

export const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};
