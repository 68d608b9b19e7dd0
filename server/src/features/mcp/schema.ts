import { Type } from 'typebox';
import {
  AnyObject,
  AnyValue,
  Nullable,
  Page,
  PageQuery,
  ShownOnce,
  Strict,
  StringEnum,
  secretWithheld,
  Timestamp,
} from '../../kernel/schema.ts';
import { APPROVALS, FLAGS, RISKS } from '../../kernel/tool-policy.ts';
import { AccessListSchema, OAuthSchema, ServerPolicySchema } from './policy.schema.ts';
import { MAX_CALL_TIMEOUT_MS } from './types.ts';

/** Wire types of the MCP endpoints. */

const Name = Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'a-z, 0-9 and -, up to 40' });
const Strings = (maxLength: number) => Type.Record(Type.String({ minLength: 1 }), Type.String({ maxLength }));
const TimeoutMs = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_CALL_TIMEOUT_MS, description });

const endpointFields = {
  command: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Program of a stdio server; MCP_ALLOW_STDIO must name it',
    }),
  ),
  args: Type.Optional(Type.Array(Type.String({ maxLength: 8_000 }), { maxItems: 200 })),
  env: Type.Optional(Strings(32_000)),
  url: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2_000, description: 'Address of an http server' }),
  ),
  headers: Type.Optional(Strings(8_000)),
  oauth: Type.Optional(OAuthSchema),
};

const settingFields = {
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  enabled: Type.Optional(Type.Boolean()),
  timeout_ms: Type.Optional(TimeoutMs('Longest time of a call that names none')),
  policy: Type.Optional(ServerPolicySchema),
  access: Type.Optional(AccessListSchema),
};

const Transport = StringEnum(['stdio', 'http']);

const acceptFields = {
  accept_tools: Type.Optional(
    Type.Boolean({
      description:
        'You accept the tools that it lists at first, but for those that look like orders to the model (default false)',
    }),
  ),
};

export const ServerCreate = Strict({
  name: Name,
  transport: Transport,
  ...endpointFields,
  ...settingFields,
  ...acceptFields,
});
export const ServerUpdate = Strict({ ...endpointFields, ...settingFields }, { minProperties: 1 });
export const ServerTest = Strict({ transport: Transport, ...endpointFields });
export const ServerImport = Strict({
  mcpServers: Type.Record(
    Type.String({ minLength: 1, maxLength: 200 }),
    Strict({
      type: Type.Optional(StringEnum(['stdio', 'http', 'streamable-http', 'sse'])),
      disabled: Type.Optional(Type.Boolean()),
      ...endpointFields,
      ...settingFields,
      ...acceptFields,
    }),
    { description: 'The form that MCP clients share' },
  ),
});

const ServerInfo = Nullable(Type.Object({ name: Type.String(), version: Type.String() }));

export const McpServer = Type.Object({
  name: Type.String(),
  title: Type.String(),
  transport: StringEnum(['stdio', 'http', 'builtin']),
  source: StringEnum(['builtin', 'file', 'api']),
  enabled: Type.Boolean(),
  status: StringEnum(['connected', 'connecting', 'error', 'disabled']),
  tool_count: Type.Integer(),
  unaccepted_tools: Type.Integer({
    description:
      'Tools that nobody has accepted as they are: each run that is told of them is marked with untrusted content',
  }),
  protocol_version: Nullable(Type.String()),
  server_info: ServerInfo,
  last_error: Nullable(Type.String()),
  connected_at: Nullable(Timestamp()),
  created_at: Timestamp(),
  timeout_ms: Type.Integer(),
  policy: Type.Optional(AnyObject({ description: 'For those with mcp:manage' })),
  access: Type.Optional(AnyObject({ description: 'For those with mcp:manage' })),
});
export const McpServers = Page(McpServer);
export const ImportedServers = Type.Object({ items: Type.Array(McpServer) });

export const TestResult = Type.Object({
  ok: Type.Boolean(),
  error: Nullable(Type.String()),
  protocol_version: Nullable(Type.String()),
  server_info: ServerInfo,
  tools: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  log: Type.Array(Type.String()),
});

export const McpTool = Type.Object({
  name: Type.String(),
  title: Nullable(Type.String()),
  description: Type.String({ description: 'Text of the server: data, not instructions' }),
  input_schema: AnyObject(),
  output_schema: Nullable(AnyObject()),
  annotations: Nullable(AnyObject()),
  policy: Type.Object({
    cost_usd: Type.Number(),
    risk: StringEnum(RISKS),
    flags: Type.Array(StringEnum(FLAGS)),
    approval: StringEnum(APPROVALS),
    pinned: StringEnum(['accepted', 'changed', 'new']),
  }),
  held_back: Type.Boolean({ description: 'Not to be called until an operator accepts it' }),
  warnings: Type.Array(StringEnum(['suspicious_text', 'identical_name', 'lookalike_name'])),
  fingerprint: Type.String(),
  accepted: Nullable(
    Type.Object(
      {
        title: Nullable(Type.String()),
        description: Type.String(),
        input_schema: AnyObject(),
        output_schema: Nullable(AnyObject()),
        annotations: Nullable(AnyObject()),
      },
      { description: 'Of a changed tool: what was accepted or first seen of it' },
    ),
  ),
});
export const McpTools = Page(McpTool);

export const Authorization = Type.Object({
  authorization_url: Nullable(ShownOnce('For a browser; null when no person is needed')),
  secret_withheld: secretWithheld(),
});
export const AuthorizeRequest = Type.Object(
  {
    answer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description: 'To finish: what a browser was shown that had not begun the sign-in',
      }),
    ),
  },
  { additionalProperties: false },
);
export const AuthorizationAnswer = Type.Object(
  {
    // Together they fit into an address of 8,192 characters.
    code: Type.Optional(Type.String({ maxLength: 4_000 })),
    state: Type.Optional(Type.String({ maxLength: 1_000 })),
    iss: Type.Optional(Type.String({ maxLength: 1_000 })),
    error: Type.Optional(Type.String({ maxLength: 200 })),
  },
  // Authorization servers add parameters of their own.
  { additionalProperties: true },
);

export const CallRequest = Strict({
  tool: Type.String({ minLength: 1, maxLength: 256 }),
  arguments: Type.Optional(AnyObject()),
  timeout_ms: Type.Optional(TimeoutMs('The call is cancelled after so long')),
});

export const CallResponse = Type.Object({
  call_id: Type.String(),
  server: Type.String(),
  tool: Type.String(),
  content: Type.Array(AnyObject()),
  structured_content: AnyValue(),
  is_error: Type.Boolean({ description: 'The tool itself reports a failure' }),
  truncated: Type.Boolean({ description: 'Cut at 1 MB' }),
  duration_ms: Type.Number(),
});
export const CallPending = Type.Object({
  proposal: AnyObject({ description: 'The Proposal that must be approved first' }),
});

export const AcceptRequest = Strict({
  fingerprint: Type.Optional(Type.String({ maxLength: 100, description: 'Of the tool as it was looked at' })),
});

export const AcceptAllRequest = Strict({
  fingerprints: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 512 }), Type.String({ maxLength: 100 }), {
      description: 'By tool, of what was looked at; without it, all that are new',
    }),
  ),
});

export const LogLines = Type.Object({
  items: Type.Array(
    Type.Object({ at: Timestamp(), source: StringEnum(['stderr', 'client']), text: Type.String() }),
  ),
});

export const Items = Type.Object({
  items: Type.Array(AnyObject()),
  truncated: Type.Boolean({ description: 'Cut at 1 MB of JSON' }),
});
export const AnyPrompt = AnyObject({ description: '`truncated`: cut at 1 MB of JSON' });
export const ReadResourceQuery = Strict({ uri: Type.String({ minLength: 1, maxLength: 4_000 }) });
export const PromptRequest = Strict({
  prompt: Type.String({ minLength: 1, maxLength: 256 }),
  arguments: Type.Optional(Strings(100_000)),
});

export const ByName = Strict({ name: Type.String({ minLength: 1, maxLength: 64 }) });
export const ByServer = Strict({ server: Type.String({ minLength: 1, maxLength: 64 }) });
export const ByTool = Strict({
  server: Type.String({ minLength: 1, maxLength: 64 }),
  tool: Type.String({ minLength: 1, maxLength: 512 }),
});
export const ListQuery = Strict(PageQuery);
