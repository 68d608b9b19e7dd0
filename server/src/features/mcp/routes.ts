import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { type AnyRoute, route } from '../../http/route.ts';
import { iso } from '../../kernel/clock.ts';
import type { ShowProposal } from '../../kernel/decisions.ts';
import { pageOfAll, pageRequest } from '../../kernel/pagination.ts';
import type { Calls } from './calls.ts';
import type { McpReading } from './reading.ts';
import type { ServerInput } from './register.ts';
import { slugOf } from './rules.ts';
import * as wire from './schema.ts';
import type { McpService } from './service.ts';
import { type McpSignIn, OAUTH_CALLBACK_PATH } from './sign-in.ts';

export interface McpRouteOptions {
  service: McpService;
  reading: McpReading;
  signIn: McpSignIn;
  calls: Calls;
  showProposal: ShowProposal;
}

const tag = 'MCP';

/** Aborted when the client goes away before it has its answer. */
const goneSignal = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
};

const cookiesOf = (header: string | undefined): ReadonlyMap<string, string> =>
  new Map(
    (header ?? '').split(';').map((pair): [string, string] => {
      const [name = '', ...value] = pair.trim().split('=');
      return [name, value.join('=')];
    }),
  );

const notBegunHere = ({ server, answer }: { server: string; answer: string }): string =>
  `Not signed in yet: this browser did not begin the sign-in at ${server}.

If somebody gave you the address that brought you here, close this window: they would use your account.

If you began it yourself in another place, finish it there with this answer within ten minutes:

  pentarch mcp authorize ${server} --answer ${answer}
`;

const importInputs = (
  servers: Static<typeof wire.ServerImport>['mcpServers'],
): { key: string; input: ServerInput }[] =>
  Object.entries(servers).map(([given, { type, disabled, ...entry }]) => ({
    key: given,
    input: {
      ...entry,
      name: slugOf(given),
      title: entry.title ?? (slugOf(given) === given ? undefined : given),
      transport: entry.url !== undefined || (type !== undefined && type !== 'stdio') ? 'http' : 'stdio',
      enabled: disabled === true ? false : entry.enabled,
    },
  }));
const registrationRoutes = ({ service }: McpRouteOptions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/mcp/servers',
    operationId: 'listMcpServers',
    summary: 'MCP servers that the caller may use',
    tag,
    access: 'mcp:read',
    query: wire.ListQuery,
    responses: { 200: wire.McpServers },
    handler: async ({ caller, query }) => pageOfAll(await service.servers(caller), pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/mcp/servers',
    operationId: 'createMcpServer',
    summary: 'Register an MCP server for the tenant',
    description:
      'Values of env and headers are kept encrypted and never shown again. Until its tools are accepted (`accept_tools`, or `POST mcp/{server}/tools/accept` once they have been looked at), each run that is told of them is marked with untrusted content.',
    tag,
    access: 'mcp:manage',
    body: wire.ServerCreate,
    responses: { 201: wire.McpServer },
    handler: async ({ caller, body, reply }) => {
      const created = await service.create(caller, body);
      reply.header('location', `${reply.request.url.split('?')[0]}/${created.name}`);
      return created;
    },
  }),
  route({
    method: 'POST',
    path: '/mcp/servers/test',
    operationId: 'testMcpServer',
    summary: 'Try a server without registering it',
    tag,
    access: 'mcp:manage',
    body: wire.ServerTest,
    responses: { 200: wire.TestResult },
    handler: ({ caller, body, reply }) => service.test(caller, body, goneSignal(reply)),
  }),
  route({
    method: 'POST',
    path: '/mcp/servers/import',
    operationId: 'importMcpServers',
    summary: 'Register all servers of a file in the mcpServers form',
    tag,
    access: 'mcp:manage',
    body: wire.ServerImport,
    responses: { 201: wire.ImportedServers },
    handler: async ({ caller, body }) => ({
      items: await service.import(caller, importInputs(body.mcpServers)),
    }),
  }),
];

const serverRoutes = ({ service }: McpRouteOptions): AnyRoute[] => [
  route({
    method: 'PATCH',
    path: '/mcp/servers/:name',
    operationId: 'updateMcpServer',
    summary: 'Change a registered MCP server',
    tag,
    access: 'mcp:manage',
    params: wire.ByName,
    body: wire.ServerUpdate,
    responses: { 200: wire.McpServer },
    handler: ({ caller, params, body }) => service.update(caller, params.name, body),
  }),
  route({
    method: 'DELETE',
    path: '/mcp/servers/:name',
    operationId: 'deleteMcpServer',
    summary: 'Remove a registered MCP server',
    tag,
    access: 'mcp:manage',
    params: wire.ByName,
    responses: { 204: null },
    handler: ({ caller, params }) => service.remove(caller, params.name),
  }),
  route({
    method: 'POST',
    path: '/mcp/servers/:name/refresh',
    operationId: 'refreshMcpServer',
    summary: 'List the tools of a server anew, for one that tells of no changes',
    tag,
    access: 'mcp:manage',
    params: wire.ByName,
    responses: { 200: wire.McpServer },
    handler: ({ caller, params, reply }) => service.refresh(caller, params.name, goneSignal(reply)),
  }),
];

/** OAuth at the servers that ask for it. */
const signInRoutes = ({ signIn }: McpRouteOptions): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/mcp/servers/:name/authorize',
    operationId: 'authorizeMcpServer',
    summary: 'Begin to sign in at a server that asks for OAuth',
    description:
      'Open the address in the browser that asked; the server is connected when you come back from there. Another browser shows an answer, which you send here as answer.',
    tag,
    access: 'mcp:manage',
    params: wire.ByName,
    body: wire.AuthorizeRequest,
    responses: { 200: wire.Authorization },
    handler: async ({ caller, params, body, request, reply }) => {
      if (body.answer !== undefined) {
        await signIn.handIn(caller, params.name, body.answer);
        return { authorization_url: null };
      }
      const { authorization_url, cookie } = await signIn.begin(caller, params.name);
      const secure = request.protocol === 'https' ? '; Secure' : '';
      reply.header(
        'set-cookie',
        `${cookie.name}=${cookie.value}; Path=${OAUTH_CALLBACK_PATH}; Max-Age=${cookie.maxAgeS}; HttpOnly; SameSite=Lax${secure}`,
      );
      return { authorization_url };
    },
  }),
  route({
    method: 'GET',
    path: OAUTH_CALLBACK_PATH,
    surface: 'root',
    operationId: 'finishMcpAuthorization',
    summary: 'Where authorization servers of MCP servers send browsers back to',
    tag,
    access: 'public',
    query: wire.AuthorizationAnswer,
    produces: 'text/plain',
    responses: {
      200: Type.Unsafe<string>({ type: 'string' }),
      202: Type.Unsafe<string>({ type: 'string' }),
    },
    handler: async ({ query, request, reply }) => {
      const done = await signIn.finish(query, cookiesOf(request.headers.cookie));
      const said = reply
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .serializer((text: unknown) => String(text));
      if (!('answer' in done)) return said.send(`Signed in for ${done.server}. You can close this window.`);
      return said.code(202).send(notBegunHere(done));
    },
  }),
];

const logRoutes = ({ service }: McpRouteOptions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/mcp/servers/:name/logs',
    operationId: 'getMcpServerLogs',
    summary: 'Last lines that a server wrote to its standard error, and notices about its connection',
    tag,
    access: 'mcp:manage',
    params: wire.ByName,
    responses: { 200: wire.LogLines },
    handler: ({ caller, params }) => ({
      items: service.logs(caller, params.name).map((line) => ({ ...line, at: iso(line.at) })),
    }),
  }),
];

const toolRoutes = ({ service, calls, showProposal }: McpRouteOptions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/mcp/:server/tools',
    operationId: 'listMcpTools',
    summary: 'Tools of a server',
    tag,
    access: 'mcp:read',
    params: wire.ByServer,
    query: wire.ListQuery,
    responses: { 200: wire.McpTools },
    handler: async ({ caller, params, query, reply }) =>
      pageOfAll(await service.tools(caller, params.server, goneSignal(reply)), pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/mcp/:server/call',
    operationId: 'callMcpTool',
    modelNames: { response: 'McpCallResult', alternative: 'McpCallPending' },
    summary: 'Call a tool of a server',
    description:
      "A tool's own error is 200 with is_error; 202 gives the proposal that must be approved before the tool runs.",
    tag,
    access: 'mcp:call',
    params: wire.ByServer,
    body: wire.CallRequest,
    responses: { 200: wire.CallResponse, 202: wire.CallPending },
    handler: async ({ caller, params, body, reply, requestId }) => {
      const done = await calls.call(
        params.server,
        { tool: body.tool, arguments: body.arguments ?? {}, timeoutMs: body.timeout_ms ?? null },
        {
          caller,
          agentId: null,
          conversationId: null,
          runId: null,
          requestId,
          signal: goneSignal(reply),
          tainted: false,
        },
      );
      if (done.outcome === 'done') return done.result;
      reply.code(202);
      return { proposal: await showProposal(caller, done.proposalId) };
    },
  }),
  route({
    method: 'POST',
    path: '/mcp/:server/tools/accept',
    operationId: 'acceptMcpTools',
    summary: 'Accept the tools of a server, as they are now',
    description:
      'All that are new; with fingerprints those of them, as they were looked at. What has changed or looks like an order to the model has to be named.',
    tag,
    access: 'mcp:manage',
    params: wire.ByServer,
    body: wire.AcceptAllRequest,
    responses: { 200: wire.McpServer },
    handler: ({ caller, params, body }) => service.acceptAll(caller, params.server, body.fingerprints),
  }),
  route({
    method: 'POST',
    path: '/mcp/:server/tools/:tool/accept',
    operationId: 'acceptMcpTool',
    summary: 'Accept a tool that is new or has changed, as it is now',
    tag,
    access: 'mcp:manage',
    params: wire.ByTool,
    body: wire.AcceptRequest,
    responses: { 200: wire.McpTool },
    handler: ({ caller, params, body }) =>
      service.accept(caller, params.server, params.tool, body.fingerprint),
  }),
];

/** Resources and prompts. */
const readingRoutes = ({ reading }: McpRouteOptions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/mcp/:server/resources',
    operationId: 'listMcpResources',
    summary: 'Resources of a server',
    tag,
    access: 'mcp:read',
    params: wire.ByServer,
    responses: { 200: wire.Items },
    handler: ({ caller, params, reply }) => reading.resources(caller, params.server, goneSignal(reply)),
  }),
  route({
    method: 'GET',
    path: '/mcp/:server/resources/read',
    operationId: 'readMcpResource',
    summary: 'Contents of a resource',
    tag,
    access: 'mcp:call',
    params: wire.ByServer,
    query: wire.ReadResourceQuery,
    responses: { 200: wire.Items },
    handler: ({ caller, params, query, reply }) =>
      reading.resource(caller, params.server, query.uri, goneSignal(reply)),
  }),
  route({
    method: 'GET',
    path: '/mcp/:server/prompts',
    operationId: 'listMcpPrompts',
    summary: 'Prompts of a server',
    tag,
    access: 'mcp:read',
    params: wire.ByServer,
    responses: { 200: wire.Items },
    handler: ({ caller, params, reply }) => reading.prompts(caller, params.server, goneSignal(reply)),
  }),
  route({
    method: 'POST',
    path: '/mcp/:server/prompts/get',
    operationId: 'getMcpPrompt',
    summary: 'A prompt with its arguments filled in',
    tag,
    access: 'mcp:call',
    params: wire.ByServer,
    body: wire.PromptRequest,
    responses: { 200: wire.AnyPrompt },
    handler: ({ caller, params, body, reply }) =>
      reading.prompt(caller, params.server, body.prompt, body.arguments ?? {}, goneSignal(reply)),
  }),
];

export const createMcpRoutes = (options: McpRouteOptions): AnyRoute[] => [
  ...registrationRoutes(options),
  ...serverRoutes(options),
  ...signInRoutes(options),
  ...logRoutes(options),
  ...toolRoutes(options),
  ...readingRoutes(options),
];
