import type { Config } from '../config.ts';
import type { Identity } from '../features/identity/index.ts';
import { createStreamWatch } from '../http/stream-watch.ts';
import { defineModule, type Given } from './module.ts';

export interface StreamsDeps extends Pick<Given, 'onError'> {
  config: Pick<Config, 'RATE_LIMITS' | 'STREAMS_PER_ADDRESS' | 'STREAMS_PER_CALLER'>;
  identity: Pick<Identity, 'authenticate' | 'callerFor'>;
}

export const streamsModule = defineModule({
  name: 'streams',
  needs: ['config', 'identity', 'onError'],
  build({ config, identity, onError }: StreamsDeps) {
    const streams = createStreamWatch({
      authenticate: identity.authenticate,
      callerFor: identity.callerFor,
      limits: {
        perCaller: config.RATE_LIMITS ? config.STREAMS_PER_CALLER : null,
        perAddress: config.RATE_LIMITS ? config.STREAMS_PER_ADDRESS : null,
      },
      onError,
    });
    return { service: streams, quiet: () => streams.close() };
  },
});
