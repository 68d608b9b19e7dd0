import type { Config } from '../../config.ts';
import { withinTenant } from '../../db/scope.ts';
import { countForCaller, type LimitOptions } from '../../http/limits-hook.ts';
import type { Authenticate } from '../../http/route.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { RefusedRequests } from '../audit/index.ts';
import type { ChatService } from '../chat/index.ts';
import type { EventBus } from './bus.ts';
import { createChatSend } from './chat-send.ts';
import { createHub } from './hub.ts';
import { socketPlugin } from './routes.ts';

export interface RealtimeDeps extends Pick<Given, 'clock' | 'lifecycle' | 'onError'> {
  audit: { refusals: Pick<RefusedRequests, 'ofSocket'> };
  chat: Pick<ChatService, 'launch'>;
  config: Pick<Config, 'RATE_LIMITS' | 'SOCKETS_PER_ADDRESS' | 'SOCKETS_PER_CALLER'>;
  events: EventBus;
  identity: { authenticate: Authenticate };
  limits: LimitOptions;
}

/** The WebSocket. */
export const realtimeModule = defineModule({
  name: 'realtime',
  needs: ['audit', 'chat', 'clock', 'config', 'events', 'identity', 'lifecycle', 'limits', 'onError'],
  build({ audit, chat, clock, config, events, identity, lifecycle, limits, onError }: RealtimeDeps) {
    const hub = createHub({
      bus: events,
      clock,
      authenticate: identity.authenticate,
      chat: createChatSend({
        launch: (caller, request, how) =>
          withinTenant(caller.tenantId, () => chat.launch(caller, request, how)),
        draining: lifecycle.draining,
      }),
      admit: (caller) => countForCaller(caller, limits),
      refused: audit.refusals.ofSocket,
      onError,
      limits: {
        perCaller: config.RATE_LIMITS ? config.SOCKETS_PER_CALLER : null,
        perAddress: config.RATE_LIMITS ? config.SOCKETS_PER_ADDRESS : null,
      },
    });
    return {
      service: {},
      plugins: [socketPlugin({ hub, authenticate: identity.authenticate })],
      gauges: { openSockets: () => hub.size },
    };
  },
});
