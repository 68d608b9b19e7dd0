import { describe, expect, test } from 'vitest';
import { factOf } from './pick-fact.ts';
import { contextOf, pickTool } from './pick-tool.ts';
import type { ToolSpec } from './port.ts';
import { RULES } from './request-table.ts';
import { tellResult } from './tell-result.ts';
import { readPeriod, readWhen } from './when.ts';

const TOOLS: ToolSpec[] = [...new Set(RULES.map((rule) => rule.tool))].map((name) => ({
  name,
  description: '',
  inputSchema: { type: 'object' },
}));
/** A Saturday. */
const NOW = Date.parse('2026-11-28T10:00:00Z');
const context = { now: NOW, zone: 'Europe/Berlin' };
const pick = (message: string, tools = TOOLS) => pickTool(message, tools, context);

describe('the tool that a message asks for', () => {
  test.each<[string, string, Record<string, unknown>]>([
    ['what time is it in Tokyo?', 'time__get_current_time', { timezone: 'Asia/Tokyo' }],
    ['What time is it?', 'time__get_current_time', { timezone: 'Europe/Berlin' }],
    ["what's the time in New York right now", 'time__get_current_time', { timezone: 'America/New_York' }],
    [
      'when it is 3pm in London, what time is it in Tokyo?',
      'time__convert_time',
      { time: '2026-11-28T15:00', source_timezone: 'Europe/London', target_timezone: 'Asia/Tokyo' },
    ],
    [
      'when is it noon in New York in Berlin time?',
      'time__convert_time',
      { time: '2026-11-28T12:00', source_timezone: 'America/New_York', target_timezone: 'Europe/Berlin' },
    ],
    [
      'remind me tomorrow at nine to call the bank',
      'create_task',
      {
        description: 'Notify me: call the bank',
        agent_id: 'iris',
        scheduled_at: '2026-11-29T08:00:00.000Z',
        timezone: 'Europe/Berlin',
      },
    ],
    [
      'Please remind me to water the plants in 20 minutes',
      'create_task',
      {
        description: 'Notify me: water the plants',
        agent_id: 'iris',
        scheduled_at: '2026-11-28T10:20:00.000Z',
        timezone: 'Europe/Berlin',
      },
    ],
    [
      'schedule a weekly report every Monday at 8',
      'create_task',
      { description: 'A weekly report', cron: '0 8 * * 1', timezone: 'Europe/Berlin' },
    ],
    [
      'remind us every weekday at 9:30 about the stand-up',
      'create_task',
      {
        description: 'Notify me: the stand-up',
        agent_id: 'iris',
        cron: '30 9 * * 1-5',
        timezone: 'Europe/Berlin',
      },
    ],
    ['Notify me: call the bank', 'notify', { title: 'Call the bank' }],
    ['list my scheduled tasks', 'list_tasks', {}],
    [
      'remember that my assistant is called Jana',
      'remember_fact',
      { entity: 'user', fact: 'assistant is called Jana' },
    ],
    [
      'note that Anna moved to the Lisbon team',
      'remember_fact',
      { entity: 'Anna', fact: 'moved to the Lisbon team' },
    ],
    ['what do you know about the Apollo project?', 'recall', { query: 'the Apollo project' }],
    ['what did I tell you about my allergies?', 'recall', { query: 'my allergies' }],
    ['forget what I told you about my address', 'forget', { topic: 'my address' }],
    ['correct that: the budget owner is Tom, not Tim', 'correct_fact', { right: 'Tom', wrong: 'Tim' }],
    ['how are Peter and the Vienna office connected?', 'memory_graph', { entity: 'Peter', depth: 2 }],
    ['how much did we spend this month?', 'query_costs', { period: 'month' }],
    [
      'show the costs by agent for last week',
      'query_costs',
      { period: 'custom', from: '2026-11-16', to: '2026-11-22', by: 'agent' },
    ],
    ['which model is the most expensive?', 'query_costs', { by: 'model' }],
    ['how much of the budget is left?', 'query_costs', { limits: true }],
    ['what is the average latency of the agents?', 'query_metrics', {}],
    [
      'how many requests did Athena get in the last 7 days?',
      'query_metrics',
      { agent_id: 'athena', window: '7d' },
    ],
    [
      'what is the average of the amount column in sales.csv?',
      'query_table',
      { document: 'sales.csv', sql: 'select avg("amount") as avg from data' },
    ],
    [
      'total revenue by region in sales 2026.xlsx',
      'query_table',
      {
        document: 'sales 2026.xlsx',
        sql: 'select "region", sum("revenue") as sum from data group by 1 order by 2 desc',
      },
    ],
    ['which MCP servers are connected?', 'list_mcp_servers', {}],
    ['which servers are connected', 'list_mcp_servers', {}],
    ['show failed logins', 'read_audit', { action: 'session', outcome: 'refused' }],
    ['show me the audit trail', 'read_audit', {}],
    ['has anybody deleted a user recently?', 'read_audit', { action: 'user' }],
    ['what permissions does the operator role have?', 'list_permissions', { role: 'operator' }],
    ['what am I allowed to do?', 'list_permissions', { user: 'me' }],
    ['show my unread notifications', 'list_notifications', { unread: true }],
    ['what feedback did the answers get this week?', 'list_feedback', { days: 7 }],
    ['which answers of Hermes were rated badly?', 'list_feedback', { agent_id: 'hermes', rating: 'down' }],
    [
      'teach Athena to answer in bullet points',
      'suggest_instruction',
      { agent_id: 'athena', instruction: 'Answer in bullet points.' },
    ],
    ['set my language to German', 'set_preference', { name: 'language', value: 'German' }],
    ['I prefer short answers', 'set_preference', { name: 'answer_length', value: 'short' }],
    ['update my time zone to Europe/Madrid', 'set_preference', { name: 'time_zone', value: 'Europe/Madrid' }],
    ['call me Alex from now on', 'set_preference', { name: 'form_of_address', value: 'Alex' }],
    ['what are my preferences?', 'get_preferences', {}],
    ['show my profile', 'get_profile', {}],
    [
      'scan this text for secrets: my password is hunter2!',
      'scan_content',
      { text: 'my password is hunter2!' },
    ],
    [
      'send an e-mail to ann@example.org, subject: Delay, text: We are late.',
      'send_email',
      { to: ['ann@example.org'], subject: 'Delay', body: 'We are late.' },
    ],
  ])('%s → %s', (message, tool, args) => {
    expect(pick(message)).toMatchObject({ tool });
    expect(pick(message)).toEqual({ tool, args, weak: tool === 'recall' });
  });

  test.each([
    'what is the capital of France?',
    'translate this sentence into Spanish',
    'what is the warranty period of the pump?',
    'how much does a ticket to the island cost according to the brochure, and what did it say on refunds, and who wrote it?',
    'tell me a joke',
    'fix this bug in my code',
    'rewrite this paragraph',
    'who wrote the report on the harbour?',
    'Did Anna finish in time?',
    'the meeting is tomorrow',
  ])('%s → none', (message) => {
    const found = pick(message);
    expect(found === null || ('tool' in found && (found.weak || found.tool === 'query_costs'))).toBe(true);
  });

  test('only offered tools are picked, with the fields that they know', () => {
    expect(pick('what time is it in Tokyo?', [])).toBeNull();
    expect(
      pick(
        'show my profile',
        TOOLS.filter((tool) => tool.name !== 'get_profile'),
      ),
    ).toBeNull();
    const tools = [
      {
        name: 'list_notifications',
        description: '',
        inputSchema: { properties: { unread: { type: 'boolean' } } },
      },
    ];
    expect(pick('show my unread notifications', tools)).toMatchObject({ args: { unread: true } });
    const older = [
      { name: 'list_notifications', description: '', inputSchema: { properties: { limit: {} } } },
    ];
    expect(pick('show my unread notifications', older)).toMatchObject({ args: {} });
  });

  test('what is missing is asked for', () => {
    expect(pick('remind me to call the bank')).toMatchObject({ ask: expect.stringContaining('When') });
    expect(pick('write an email to the customer')).toMatchObject({ ask: expect.stringContaining('subject') });
  });

  test('long messages cost no time', () => {
    const startMs = performance.now();
    for (const part of ['a ', 'every ', 'how is ', '1:', 'in the ', 'x@y.', '漢', ' at 9']) {
      for (const head of ['remind me ', 'what is ', 'send mail ', 'how much cost ', 'correct is ']) {
        pick(`${head}${part.repeat(Math.floor(1_400 / part.length))}`);
        pick(`${head}${part.repeat(20_000)}`);
      }
    }
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });
});

describe('times', () => {
  const when = (text: string, zone = 'UTC') => readWhen(text, NOW, zone);
  test.each([
    ['next Friday at 3pm', '2026-12-04T15:00:00.000Z'],
    ['on 24 December', '2026-12-24T09:00:00.000Z'],
    ['in three weeks', '2026-12-19T09:00:00.000Z'],
    ['tomorrow', '2026-11-29T09:00:00.000Z'],
    ['tomorrow at half past eight', '2026-11-29T08:30:00.000Z'],
    ['in 2 hours', '2026-11-28T12:00:00.000Z'],
  ])('%s', (text, at) => expect(when(text)?.at).toBe(at));
  test.each([
    ['every day at 7:15', '15 7 * * *'],
    ['daily', '0 9 * * *'],
    ['every night at two', '0 2 * * *'],
    ['every Tuesday and Thursday at 5pm', '0 17 * * 2,4'],
    ['on Mondays at 8', '0 8 * * 1'],
    ['every 15 minutes', '*/15 * * * *'],
    ['every month on the 1st at noon', '0 12 1 * *'],
    ['hourly', '0 * * * *'],
  ])('%s', (text, cron) => expect(when(text)?.cron).toBe(cron));
  test('summer time counts where the moment lies', () => {
    expect(readWhen('on 1 July 2027 at 9:00', NOW, 'Europe/Berlin')?.at).toBe('2027-07-01T07:00:00.000Z');
  });
  test('nothing about the future is nothing', () => {
    expect(when('call the bank')).toBeNull();
    expect(when('yesterday at 5pm')).toBeNull();
  });
  test('periods', () => {
    expect(readPeriod('last month', NOW, 'UTC')).toMatchObject({ from: '2026-10-01', to: '2026-10-31' });
    expect(readPeriod('yesterday', NOW, 'UTC')).toMatchObject({ from: '2026-11-27', to: '2026-11-27' });
    expect(readPeriod('in the last two weeks', NOW, 'UTC')).toMatchObject({ days: 14 });
    expect(readPeriod('ever', NOW, 'UTC')).toBeNull();
  });
});

test('the zone and the time are read from the system prompt', () => {
  expect(
    contextOf(
      'The person prefers:\n- user: time zone is Europe/Athens\n\nIt is 2026-01-02T03:04:05.000Z.',
      0,
    ),
  ).toEqual({ now: Date.parse('2026-01-02T03:04:05.000Z'), zone: 'Europe/Athens' });
  expect(contextOf('', 5)).toEqual({ now: 5, zone: 'UTC' });
});

test('facts are told in the third person', () => {
  expect(factOf('I am allergic to nuts')).toEqual({ entity: 'user', fact: 'is allergic to nuts' });
  expect(factOf('I live in Graz')).toEqual({ entity: 'user', fact: 'lives in Graz' });
  expect(factOf('we never ship on Fridays')).toEqual({
    entity: 'user',
    fact: 'said: we never ship on Fridays',
  });
});

describe('results in words', () => {
  test('times', () => {
    const tokyo = { timezone: 'Asia/Tokyo', datetime: '2026-11-28T19:00:00+09:00', weekday: 'Saturday' };
    expect(tellResult('time__get_current_time', JSON.stringify(tokyo))).toBe(
      'In Tokyo (Asia/Tokyo) it is 19:00 on Saturday, 28 November 2026.',
    );
    const utc = { timezone: 'UTC', datetime: '2026-11-28T10:00:00+00:00', weekday: 'Saturday' };
    expect(tellResult('time__convert_time', JSON.stringify({ source: utc, target: tokyo }))).toBe(
      'When it is 10:00 on Saturday, 28 November 2026 in UTC, it is 19:00 on Saturday, 28 November 2026 in Tokyo (Asia/Tokyo).',
    );
  });
  test('unknown JSON becomes fields and tables, never braces', () => {
    const told = tellResult(
      'x__y',
      JSON.stringify({
        total_count: 2,
        items: [
          { id: 'a', n: 1 },
          { id: 'b|c', n: null },
        ],
      }),
    );
    expect(told).toBe('Total count: 2\nItems:\n\n| Id | N |\n|---|---|\n| a | 1 |\n| b\\|c | – |\n');
  });
  test('errors are said plainly, and unknown text is left to the caller', () => {
    expect(tellResult('recall', 'Error: no')).toBe('That did not work: no');
    expect(tellResult('recall', 'Nothing is remembered about this.')).toBe('I remember nothing about this.');
    expect(tellResult('other', 'plain')).toBeNull();
  });
});
