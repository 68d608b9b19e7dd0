import { Type } from 'typebox';
import { type AnyRoute, route } from '../../http/route.ts';
import { AnyObject, AnyValue, Strict } from '../../kernel/schema.ts';
import { CHAT_BODY_BYTES } from '../chat/index.ts';
import { A2A_PATH } from './cards.ts';
import { type A2aDoorOptions, findAgent, sendCard } from './door.ts';
import { createServe } from './serve.ts';

const tag = 'A2A';
const WELL_KNOWN = '/.well-known/agent-card.json';
const AgentParams = Strict({ agent: Type.String({ minLength: 1, maxLength: 64, description: 'Agent id' }) });

const Card = AnyObject({ description: 'An agent card: of version 1.0 with A2A-Version: 1.0, else of 0.3' });
const Rpc = AnyValue({ description: 'A JSON-RPC 2.0 request of the A2A protocol' });
const Answer = AnyObject({ description: 'A JSON-RPC 2.0 answer, or text/event-stream of such' });
const METHODS =
  'Methods of 1.0 (with A2A-Version: 1.0): SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask, CreateTaskPushNotificationConfig, GetTaskPushNotificationConfig, ListTaskPushNotificationConfigs, DeleteTaskPushNotificationConfig; of 0.3: message/send, message/stream, tasks/get, tasks/cancel, tasks/resubscribe, tasks/pushNotificationConfig/set, get, list, delete. Sending, cancelling and changes of push notifications need chat:write.';

const cardRoutes = (options: A2aDoorOptions): AnyRoute[] => [
  ...(['', A2A_PATH] as const).map((prefix) =>
    route({
      method: 'GET',
      path: `${prefix}${WELL_KNOWN}`,
      surface: 'root',
      operationId: prefix === '' ? 'getAgentCard' : 'getNetworkCard',
      summary: 'Card of the network of agents (A2A)',
      tag,
      access: 'public',
      responses: { 200: Card },
      handler: ({ request, reply }) => sendCard(options, request, reply, null),
    }),
  ),
  route({
    method: 'GET',
    path: `${A2A_PATH}/:agent${WELL_KNOWN}`,
    surface: 'root',
    operationId: 'getCardOfAgent',
    summary: 'Card of one agent (A2A)',
    tag,
    access: 'public',
    params: AgentParams,
    responses: { 200: Card },
    handler: ({ request, reply, params }) =>
      sendCard(options, request, reply, findAgent(options, params.agent)),
  }),
];

export const a2aRoutes = (options: A2aDoorOptions): AnyRoute[] => {
  const serve = createServe(options);

  return [
    ...cardRoutes(options),
    route({
      method: 'POST',
      path: A2A_PATH,
      surface: 'root',
      operationId: 'callNetwork',
      summary: 'The network by the agent-to-agent protocol',
      description: METHODS,
      tag,
      access: 'conversations:read',
      body: Rpc,
      bodyLimitBytes: CHAT_BODY_BYTES,
      idempotency: 'own',
      produces: ['application/json', 'text/event-stream'],
      responses: { 200: Answer },
      handler: (input) => serve(input, null),
    }),
    route({
      method: 'POST',
      path: `${A2A_PATH}/:agent`,
      surface: 'root',
      operationId: 'callAgent',
      summary: 'One agent by the agent-to-agent protocol',
      description: METHODS,
      tag,
      access: 'conversations:read',
      params: AgentParams,
      body: Rpc,
      bodyLimitBytes: CHAT_BODY_BYTES,
      idempotency: 'own',
      produces: ['application/json', 'text/event-stream'],
      responses: { 200: Answer },
      handler: (input) => serve(input, findAgent(options, input.params.agent)),
    }),
  ];
};
