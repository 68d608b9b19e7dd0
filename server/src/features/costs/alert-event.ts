import { iso } from '../../kernel/clock.ts';
import type { NewEvent } from '../../kernel/events.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { alertText } from './rules.ts';
import type { CostAlert } from './types.ts';

/** Cost alerts as events: of a user to that user, of a tenant or an agent to those who see the whole tenant. */
export const alertEvent = (alert: CostAlert): NewEvent => ({
  type: alert.type,
  tenantId: alert.tenantId,
  userId: alert.scope === 'user' ? alert.subject : null,
  reach: 'own',
  permission: 'costs:read',
  data: {
    scope: alert.scope,
    subject: alert.subject,
    period: alert.period,
    alert_level: alert.level,
    threshold_percent: alert.thresholdPercent,
    limit_usd: nanoToUsd(alert.limitNano),
    used_usd: nanoToUsd(alert.usedNano),
    reserved_usd: nanoToUsd(alert.reservedNano),
    resets_at: iso(alert.resetsAt),
    message: alertText(alert),
  },
});
