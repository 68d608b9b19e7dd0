import { Type } from 'typebox';
import { isoOrNull } from '../../kernel/clock.ts';
import { defineTool, READS, said, toolSource } from '../../kernel/define-tool.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { Strict, StringEnum } from '../../kernel/schema.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import type { LimitState, LimitsService } from './limits.ts';
import { readsTenantCosts, type UsageService } from './usage.ts';

/** What Prometheus reads of the costs. Who may see the tenant's figures is settled by the services behind it. */

const BREAKDOWNS = {
  agent: { list: 'by_agent', key: 'agent_id' },
  model: { list: 'by_model', key: 'model' },
  tool: { list: 'by_tool', key: 'tool' },
  day: { list: 'by_day', key: 'date' },
  user: { list: 'by_user', key: 'user_id' },
} as const;

const MAX_ROWS = 40;

export const usdText = (usd: number): string =>
  usd !== 0 && Math.abs(usd) < 0.01 ? `$${Number(usd.toPrecision(3))}` : `$${usd.toFixed(2)}`;

const limitLine = (limit: LimitState): string =>
  `- ${limit.scope}${limit.scope === 'tenant' || limit.scope === 'run' ? '' : ` ${limit.subject}`} per ${limit.period}: ${usdText(nanoToUsd(limit.usedNano))} of ${usdText(nanoToUsd(limit.limitNano))} used, ${usdText(nanoToUsd(limit.remainingNano))} left (${limit.level})`;

const limitData = (limit: LimitState) => ({
  scope: limit.scope,
  subject: limit.subject,
  period: limit.period,
  limit_usd: nanoToUsd(limit.limitNano),
  used_usd: nanoToUsd(limit.usedNano),
  reserved_usd: nanoToUsd(limit.reservedNano),
  remaining_usd: nanoToUsd(limit.remainingNano),
  resets_at: isoOrNull(limit.resetsAt),
  level: limit.level,
});

const Input = Strict({
  period: Type.Optional(
    StringEnum(['day', 'week', 'month', 'custom'], {
      description: 'The running day, week or month; custom with from and to. Default month',
    }),
  ),
  from: Type.Optional(Type.String({ maxLength: 40, description: 'ISO date or time, for custom' })),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'ISO date (to its end) or time, for custom' })),
  scope: Type.Optional(
    StringEnum(['me', 'tenant'], {
      description: 'Default: tenant for those who may read it, else me',
    }),
  ),
  by: Type.Optional(
    StringEnum(['agent', 'model', 'tool', 'day', 'user'], { description: 'How to divide the total' }),
  ),
  limits: Type.Optional(Type.Boolean({ description: 'Also the limits and what is left of them' })),
});

export const costTools = (deps: {
  usage: Pick<UsageService, 'usage'>;
  limits: Pick<LimitsService, 'list'>;
}): ToolSource =>
  toolSource([
    defineTool({
      name: 'query_costs',
      description:
        'Reads what models, embeddings and tools have cost: the total of a period with requests and tokens, its forecast, a division by agent, model, tool, day or user, and the limits.',
      input: Input,
      annotations: READS,
      permission: 'costs:read',
      taint: [],
      async run(args, { caller }) {
        const scope = args.scope ?? (readsTenantCosts(caller) ? 'tenant' : 'me');
        const usage = await deps.usage.usage(caller, {
          ...(args.period === undefined ? {} : { period: args.period }),
          ...(args.from === undefined ? {} : { from: args.from }),
          ...(args.to === undefined ? {} : { to: args.to }),
          scope,
          users_limit: MAX_ROWS,
        });
        const whose = scope === 'tenant' ? 'the organisation' : 'you';
        const period = `${usage.period.name} from ${usage.period.start.slice(0, 10)} to ${usage.period.end.slice(0, 10)}`;
        const lines = [
          `Spent by ${whose}, ${period}: ${usdText(usage.total_usd)} in ${usage.requests} metered calls, ${usage.input_tokens} tokens read, ${usage.output_tokens} written.`,
        ];
        if (usage.forecast_usd !== null)
          lines.push(`Forecast for the end of the period: ${usdText(usage.forecast_usd)}.`);
        let parts: { name: string; cost_usd: number; requests: number }[] | undefined;
        if (args.by !== undefined) {
          const { list, key } = BREAKDOWNS[args.by];
          const rows: readonly Record<string, unknown>[] = usage[list] ?? [];
          parts = rows.slice(0, MAX_ROWS).map((row) => ({
            name: typeof row[key] === 'string' ? row[key] : 'none',
            cost_usd: Number(row.cost_usd),
            requests: Number(row.requests),
          }));
          lines.push(
            list === 'by_user' && usage.by_user === undefined
              ? 'A division by user needs the scope tenant.'
              : `By ${args.by}:${parts.length === 0 ? ' nothing' : ''}`,
            ...parts.map((row) => `- ${row.name}: ${usdText(row.cost_usd)}, ${row.requests} calls`),
          );
          const all = list === 'by_user' ? (usage.users_total ?? 0) : rows.length;
          if (all > MAX_ROWS) lines.push(`and ${all - MAX_ROWS} more`);
        }
        let limits: ReturnType<typeof limitData>[] | undefined;
        if (args.limits === true) {
          const all = await deps.limits.list(caller.tenantId);
          // Colleagues' limits are the tenant's figures.
          const seen = readsTenantCosts(caller)
            ? all
            : all.filter((limit) => limit.scope === 'user' && limit.subject === caller.userId);
          limits = seen.map(limitData);
          lines.push(
            seen.length === 0 ? 'No limit that you may see is set.' : 'Limits:',
            ...seen.map(limitLine),
          );
        }
        return said(lines.join('\n'), {
          period: usage.period,
          scope,
          total_usd: usage.total_usd,
          forecast_usd: usage.forecast_usd,
          requests: usage.requests,
          input_tokens: usage.input_tokens,
          output_tokens: usage.output_tokens,
          budget: usage.budget,
          ...(parts === undefined ? {} : { by: args.by, parts }),
          ...(limits === undefined ? {} : { limits }),
        });
      },
    }),
  ]);
