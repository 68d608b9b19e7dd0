/** Pure: the result of a tool in words for a person. Tools of the platform answer in readable text; others in JSON. */

type Data = Record<string, unknown>;

const dataOf = (content: string): Data | null => {
  if (!/^\s*\{/.test(content)) return null;
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : null;
  } catch {
    return null;
  }
};

const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const city = (zone: string): string => zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
const WHEN = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2})/;
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

const momentText = (moment: Data): string | null => {
  const match = WHEN.exec(text(moment.datetime));
  if (match === null) return null;
  const [, year, month, day, clock] = match;
  return `${clock} on ${text(moment.weekday)}, ${Number(day)} ${MONTHS[Number(month) - 1] ?? month} ${year}`;
};

const place = (zone: string): string => (zone === 'UTC' ? 'In UTC' : `In ${city(zone)} (${zone})`);

const LEADS: Readonly<Record<string, string>> = {
  recall: 'This is what I remember:',
  get_preferences: 'These preferences are kept:',
  get_profile: 'Your profile:',
  read_audit: 'From the audit trail:',
  list_mcp_servers: 'MCP servers:',
  list_tasks: 'Your tasks:',
  list_notifications: 'Your notifications:',
  memory_graph: 'From memory:',
};

const RENDERERS: Readonly<Record<string, (content: string, data: Data | null) => string | null>> = {
  time__get_current_time(_content, data) {
    const moment = data === null ? null : momentText(data);
    return moment === null || data === null ? null : `${place(text(data.timezone))} it is ${moment}.`;
  },
  time__convert_time(_content, data) {
    if (data === null || !isData(data.source) || !isData(data.target)) return null;
    const [from, to] = [momentText(data.source), momentText(data.target)];
    if (from === null || to === null) return null;
    return `When it is ${from} ${place(text(data.source.timezone)).toLowerCase().startsWith('in utc') ? 'in UTC' : place(text(data.source.timezone)).replace(/^In/, 'in')}, it is ${to} ${place(text(data.target.timezone)).replace(/^In/, 'in')}.`;
  },
  recall: (content) => (/^Nothing/.test(content) ? 'I remember nothing about this.' : null),
};

const label = (name: string): string => {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const flat = (value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'object'
      ? JSON.stringify(value).slice(0, 200)
      : String(value).replaceAll(/\s+/g, ' ').slice(0, 300);

const MAX_ITEMS = 30;

const table = (items: readonly Data[]): string => {
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))]
    .filter((name) => items.some((item) => !isData(item[name]) && !Array.isArray(item[name])))
    .slice(0, 6);
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    row(columns.map(label)),
    `|${columns.map(() => '---').join('|')}|`,
    ...items.slice(0, MAX_ITEMS).map((item) => row(columns.map((name) => flat(item[name])))),
    ...(items.length > MAX_ITEMS ? [`and ${items.length - MAX_ITEMS} more`] : []),
  ].join('\n');
};

/** Any JSON as a list of its fields, lists of objects as tables. */
const generic = (data: Data): string =>
  Object.entries(data)
    .slice(0, MAX_ITEMS)
    .map(([name, value]) => {
      if (Array.isArray(value)) {
        if (value.length === 0) return `${label(name)}: none`;
        const objects = value.filter(isData);
        return objects.length === value.length
          ? `${label(name)}:\n\n${table(objects)}\n`
          : `${label(name)}: ${value.slice(0, MAX_ITEMS).map(flat).join(', ')}`;
      }
      return `${label(name)}: ${flat(value)}`;
    })
    .join('\n');

/** What the tool answered, told to the person. `content` is not empty. */
export const tellResult = (tool: string, content: string): string | null => {
  if (/^Error: /.test(content)) return `That did not work: ${content.slice(7)}`;
  if (/^This call waits for approval/.test(content)) return content;
  const data = dataOf(content);
  const told = RENDERERS[tool]?.(content, data);
  if (told !== null && told !== undefined) return told;
  if (data !== null) return generic(data);
  const lead = LEADS[tool];
  if (lead !== undefined && /^(?:- |Name: )|\n- /.test(content)) return `${lead}\n${content}`;
  return KNOWN.has(tool) ? content : null;
};

/** Tools whose text needs no frame. */
const KNOWN: ReadonlySet<string> = new Set([
  'list_abilities',
  'query_costs',
  'query_metrics',
  'query_table',
  'list_permissions',
  'scan_content',
  'draft_email',
  'send_email',
  'send_webhook',
  'set_preference',
  'list_feedback',
  'suggest_instruction',
  'remember_fact',
  'correct_fact',
  'forget',
  'relate',
  'create_task',
  'cancel_task',
  'notify',
  'set_notification_preferences',
  'list_documents',
  'read_document',
  ...Object.keys(LEADS),
]);
