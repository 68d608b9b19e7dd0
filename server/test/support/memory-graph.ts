import type { Client } from './client.ts';

/** A small company's memory, for the console's page of it, in the form of the public MCP memory server. */

const ENTITIES: readonly (readonly [name: string, type: string, facts: readonly string[]])[] = [
  [
    'Mara Lindqvist',
    'person',
    ['Leads the Aurora project', 'Prefers short answers with numbers', 'Works from Malmö on Fridays'],
  ],
  ['Jonas Weber', 'person', ['Maintains the billing service', 'Is away in the first week of December']],
  ['Amina Diallo', 'person', ['Decides on security reviews']],
  ['Tom Okafor', 'person', ['Answers for customer support']],
  ['Priya Raman', 'person', ['Designs the new dashboard']],
  ['Luca Bianchi', 'person', ['Runs the data centre in Milan']],
  ['Northwind Energy', 'organization', ['The customer since March 2024', 'Wants invoices in Swedish kronor']],
  ['Helios GmbH', 'organization', ['Delivers the inverters']],
  ['Harbour Bank', 'organization', ['Finances the second phase']],
  ['Aurora', 'project', ['Forecasts the yield of solar parks', 'The pilot ends on 31 January']],
  ['Billing service', 'project', ['Runs on two servers', 'Is moved to the new database in spring']],
  ['Dashboard', 'project', ['Shows yield by park and day']],
  ['Migration 2026', 'project', ['All services leave the old data centre']],
  ['Malmö', 'place', ['Headquarters']],
  ['Milan', 'place', ['Second data centre']],
  ['Hamburg', 'place', ['Office of the sales people']],
  ['Quarterly review', 'event', ['Second Tuesday of the quarter, at ten']],
  ['Security audit', 'event', ['Begins on 12 January']],
  ['PostgreSQL 18', 'technology', ['The database of every service']],
  ['Grafana', 'technology', ['Dashboards of the operators']],
];

const RELATIONS: readonly (readonly [from: string, type: string, to: string])[] = [
  ['Mara Lindqvist', 'leads', 'Aurora'],
  ['Jonas Weber', 'works_on', 'Aurora'],
  ['Jonas Weber', 'maintains', 'Billing service'],
  ['Priya Raman', 'designs', 'Dashboard'],
  ['Priya Raman', 'works_on', 'Aurora'],
  ['Amina Diallo', 'reviews', 'Billing service'],
  ['Amina Diallo', 'prepares', 'Security audit'],
  ['Tom Okafor', 'speaks_for', 'Northwind Energy'],
  ['Luca Bianchi', 'works_in', 'Milan'],
  ['Luca Bianchi', 'leads', 'Migration 2026'],
  ['Mara Lindqvist', 'works_in', 'Malmö'],
  ['Tom Okafor', 'works_in', 'Hamburg'],
  ['Northwind Energy', 'ordered', 'Aurora'],
  ['Helios GmbH', 'delivers_to', 'Northwind Energy'],
  ['Harbour Bank', 'finances', 'Aurora'],
  ['Aurora', 'uses', 'PostgreSQL 18'],
  ['Billing service', 'uses', 'PostgreSQL 18'],
  ['Dashboard', 'part_of', 'Aurora'],
  ['Dashboard', 'built_with', 'Grafana'],
  ['Migration 2026', 'moves', 'Billing service'],
  ['Migration 2026', 'moves_to', 'Milan'],
  ['Quarterly review', 'discusses', 'Aurora'],
  ['Quarterly review', 'held_in', 'Malmö'],
  ['Security audit', 'looks_at', 'Billing service'],
  ['Mara Lindqvist', 'chairs', 'Quarterly review'],
];

const importLines = async (client: Client, lines: readonly object[]): Promise<void> => {
  const answer = await client.send(
    'POST',
    '/v2/memory/import',
    lines.map((line) => JSON.stringify(line)).join('\n'),
    { headers: { 'content-type': 'application/x-ndjson' } },
  );
  if (answer.status !== 200) throw new Error(`import: ${answer.status} ${answer.text}`);
};

export const rememberCompany = (client: Client): Promise<void> =>
  importLines(client, [
    ...ENTITIES.map(([name, entityType, observations]) => ({
      type: 'entity',
      name,
      entityType,
      observations,
    })),
    ...RELATIONS.map(([from, relationType, to]) => ({ type: 'relation', from, to, relationType })),
  ]);

const IMPORT_LINES = 100;

/** Many small groups around hubs, tied among each other: what a memory of years looks like. */
export const rememberMany = async (client: Client, count: number): Promise<void> => {
  const kinds = ['person', 'project', 'organization', 'place', 'event'];
  const hubOf = (n: number): number => n - (n % 25);
  const lines: object[] = [];
  for (let n = 0; n < count; n++)
    lines.push({ type: 'entity', name: `Node ${n}`, entityType: kinds[n % kinds.length], observations: [] });
  for (let n = 1; n < count; n++) {
    const to = n === hubOf(n) ? Math.max(0, n - 25 * (1 + (n % 7))) : hubOf(n);
    if (to !== n)
      lines.push({ type: 'relation', from: `Node ${n}`, to: `Node ${to}`, relationType: 'part_of' });
  }
  // In parts, so that a busy machine answers each within the client's time.
  for (let from = 0; from < lines.length; from += IMPORT_LINES)
    await importLines(client, lines.slice(from, from + IMPORT_LINES));
};
