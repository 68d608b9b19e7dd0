import { Role, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import {
  type Client as A2aClient,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';

export interface A2aClientOptions {
  /** Speaks version 0.3. */
  legacy?: boolean;
  headers?: Record<string, string>;
}

/** The official SDK's client of the network (`where` empty) or of an agent. */
export const a2aClient = async (
  serverUrl: string,
  token: string | null,
  where = '',
  options: A2aClientOptions = {},
): Promise<A2aClient> => {
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
    headers: async () => ({
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...options.headers,
    }),
    shouldRetryWithHeaders: async () => undefined,
  });
  const card = await new DefaultAgentCardResolver({ legacyCompat: { enabled: true } }).resolve(
    `${serverUrl}${where}/.well-known/agent-card.json`,
    '',
  );
  const version = options.legacy === true ? '0.3' : '1.0';
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })],
  });
  return factory.createFromAgentCard({
    ...card,
    supportedInterfaces: card.supportedInterfaces.filter((entry) => entry.protocolVersion === version),
  });
};

let messages = 0;
/** A message of the user, with one part of text. */
export const a2aMessage = (
  text: string,
  more: Partial<SendMessageRequest> & { contextId?: string } = {},
): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: `m${++messages}`,
    contextId: more.contextId ?? '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: more.configuration,
  metadata: undefined,
});

/** Throws for a message in place of a task. */
export const asTask = (value: object): Task => {
  if (!('status' in value)) throw new Error('no task');
  return value as Task;
};
