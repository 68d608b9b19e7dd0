import { Command, Option } from 'commander';
import { usage } from '../errors.ts';
import { jsonOption } from '../perform.ts';
import { argument, flagOption, type Shell, textOption } from '../shell.ts';
import { oneLine } from '../text.ts';

/** Searching documents and memories, cost limits, and events as they happen. */

export const searchCommand = (shell: Shell): Command => {
  const command = new Command('search')
    .description('Find passages of documents, and memories on request')
    .argument('<query...>')
    .option('--limit <n>', 'passages (default 10)')
    .option('--memories', 'memory entities too')
    .option('--filters <json>', 'tags, types, documents, times; or @FILE')
    .action(async () => {
      const { client, out, runtime } = shell.open(command);
      const limit = textOption(command, 'limit');
      const filters = textOption(command, 'filters');
      if (limit !== undefined && !/^\d+$/.test(limit)) throw usage('--limit must be a whole number');
      const answer = await client.http.json<Awaited<ReturnType<typeof client.knowledge.search>>>({
        method: 'POST',
        path: '/api/v1/knowledge/search',
        json: {
          query: command.args.join(' '),
          ...(limit === undefined ? {} : { limit: Number(limit) }),
          ...(flagOption(command, 'memories') ? { include_memories: true } : {}),
          ...(filters === undefined ? {} : { filters: jsonOption(filters, '--filters', runtime.cwd) }),
        },
      });
      const { results } = answer;
      if (out.json) return out.list({ items: results, total: results.length, nextCursor: null }, []);
      if (results.length === 0) return out.note('nothing found');
      for (const [n, { title, page, content, score, document_id: id }] of results.entries()) {
        const where = page === null ? '' : `, p. ${page}`;
        out.line(
          `${out.bold(`${n + 1}. ${oneLine(title)}${where}`)}  ${out.dim(`${score.toFixed(3)} ${id ?? ''}`)}`,
        );
        out.line(`   ${oneLine(content).slice(0, 300)}\n`);
      }
    });
  return shell.finish(command, ['search leave of the first assistant', 'search lamp oil --limit 3 --json']);
};

export const setLimitCommand = (shell: Shell): Command => {
  const command = new Command('set-limit')
    .description('Set or remove one cost limit')
    .addOption(
      new Option('--scope <scope>', 'what it holds for')
        .choices(['tenant', 'user', 'agent', 'run'])
        .makeOptionMandatory(),
    )
    .addOption(new Option('--period <period>').choices(['day', 'month', 'run']).makeOptionMandatory())
    .option('--subject <id>', 'id of the user or agent')
    .argument('<usd>', 'US dollars; "none" removes the limit')
    .action(async () => {
      const { client, out } = shell.open(command);
      const text = argument(command, 0);
      const limitUsd = text === 'none' ? null : Number(text);
      if (limitUsd !== null && !Number.isFinite(limitUsd)) throw usage(`not an amount: ${text}`);
      const subject = textOption(command, 'subject');
      const answer = await client.http.json<Awaited<ReturnType<typeof client.costs.getLimits>>>({
        method: 'PUT',
        path: '/api/v1/costs/limits',
        json: {
          limits: [
            {
              scope: textOption(command, 'scope'),
              period: textOption(command, 'period'),
              ...(subject === undefined ? {} : { subject }),
              limit_usd: limitUsd,
            },
          ],
        },
      });
      const { limits } = answer;
      out.list({ items: limits, total: limits.length, nextCursor: null }, [
        'scope',
        'subject',
        'period',
        'limit_usd',
        'used_usd',
        'remaining_usd',
      ]);
    });
  return shell.finish(command, [
    'costs set-limit 50 --scope tenant --period day',
    'costs set-limit none --scope user --subject USER_ID --period month',
  ]);
};

const TOPICS = [
  'conversations',
  'runs',
  'proposals',
  'tasks',
  'documents',
  'agents',
  'costs',
  'notifications',
];

export const eventsCommand = (shell: Shell): Command => {
  const command = new Command('events')
    .description('Events as they happen, until Ctrl-C; connects again by itself')
    .addOption(new Option('--topics <topic...>', 'what to hear of (default: all)').choices(TOPICS))
    .option('--count <n>', 'stop after so many')
    .action(async () => {
      const { client, out, runtime } = shell.open(command);
      const stop = new AbortController();
      const forget = runtime.onInterrupt(() => stop.abort());
      const topics: unknown = command.opts().topics;
      const count = Number(textOption(command, 'count') ?? Number.POSITIVE_INFINITY);
      let seen = 0;
      try {
        const live = client.events({
          signal: stop.signal,
          ...(Array.isArray(topics) ? { topics: topics.map(String) } : {}),
        });
        for await (const event of live) {
          if (out.json) out.raw(`${JSON.stringify(event)}\n`);
          else out.line(`${out.bold(oneLine(event.type))}  ${oneLine(JSON.stringify(event.payload))}`);
          if (event.type !== 'ready') seen += 1;
          if (seen >= count) break;
        }
      } finally {
        forget();
      }
    });
  return shell.finish(command, ['events --topics proposals tasks', 'events --json --count 1']);
};
