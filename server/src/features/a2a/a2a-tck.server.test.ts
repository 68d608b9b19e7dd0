import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/**
 * What the protocol's compatibility kit (a2a-tck) calls mandatory for JSON-RPC, one test for each requirement, by the kit's names.
 * The kit is in no registry, so its requirements are held here. docs/a2a.md says what of it does not apply.
 */

interface Message {
  messageId: string;
  role: string;
  parts: { text: string }[];
}
interface Task {
  id: string;
  contextId: string;
  status: { state: string; timestamp: string };
  history?: Message[];
  artifacts?: { parts: { text: string }[] }[];
}
interface Rpc {
  jsonrpc: string;
  id: unknown;
  error?: { code: number; message: string; data?: { reason?: string }[] };
  result?: {
    task?: Task;
    tasks?: Task[];
    totalSize?: number;
    nextPageToken?: string;
    pageSize?: number;
    configs?: unknown[];
  } & Task;
}

let server: TestServer;
let admin: Client;
let provider: TestProvider;
const it = withWorld({ env: { MODEL_TIMEOUT_S: '5', WEBHOOK_ALLOW_PRIVATE: 'on' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
  provider.always({ text: 'Done.' });
});

const V1 = { headers: { 'a2a-version': '1.0' } };
let sent = 0;
const message = (text: string, more: object = {}) => ({
  messageId: `m-${++sent}`,
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});
const post = async (who: Client, body: unknown): Promise<Rpc> => {
  const answer = await who.post('/a2a/zeus', body, V1);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Rpc>();
};
const call = (who: Client, method: string, params: unknown = {}, id: unknown = 'r1'): Promise<Rpc> =>
  post(who, { jsonrpc: '2.0', id, method, params });
const codeOf = async (answer: Promise<Rpc>): Promise<number | undefined> => (await answer).error?.code;
const send = async (who: Client, text: string, more: object = {}): Promise<Task> => {
  const { result, error } = await call(who, 'SendMessage', { message: message(text, more) });
  if (result?.task === undefined) throw new Error(JSON.stringify(error));
  return result.task;
};
const list = async (who: Client, params: object = {}) => {
  const { result, error } = await call(who, 'ListTasks', params);
  if (result === undefined) throw new Error(JSON.stringify(error));
  return { tasks: [], totalSize: 0, nextPageToken: '', ...result };
};
const NOWHERE = '0190b000-0000-7000-8000-000000000000';

describe('JSON-RPC', () => {
  it(req('A2A-07', 'test_rejects_malformed_json, test_raw_invalid_json'), async () => {
    const answer = await fetch(`${server.url}/a2a/zeus`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: '{"jsonrpc": "2.0", "method": "SendMessage", "params": {"foo": "bar"',
    });
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_700 } });
  });

  it.each([
    ['test_invalid_jsonrpc_version', { jsonrpc: 'aaa', method: 'SendMessage', params: {} }, -32_600],
    ['test_missing_method_field', { jsonrpc: '2.0', params: {} }, -32_600],
    ['the id is an object', { jsonrpc: '2.0', method: 'SendMessage', params: {}, id: { bad: 1 } }, -32_600],
    ['the method is none', { jsonrpc: '2.0', method: 'SendMessageXXX', id: '3', params: {} }, -32_601],
    ['parameters are none', { jsonrpc: '2.0', method: 'SendMessage', id: '4', params: { '': 'x' } }, -32_602],
  ] as const)(req('A2A-07', 'test_rejects_invalid_json_rpc_requests (%s)'), async (_what, body, code) => {
    expect(await codeOf(post(admin, body))).toBe(code);
  });

  it(req('A2A-07', 'test_rejects_unknown_method, test_invalid_method_error_validation'), async () => {
    expect(await call(admin, 'nonexistent/method', {}, 'x9')).toMatchObject({
      jsonrpc: '2.0',
      id: 'x9',
      error: { code: -32_601, message: expect.stringMatching(/\S/) },
    });
  });

  it(req('A2A-07', 'test_rejects_invalid_params, test_message_send_invalid_params'), async () => {
    for (const params of [{ message: { parts: 'invalid' } }, { message: {} }, {}])
      expect(await codeOf(call(admin, 'SendMessage', params)), JSON.stringify(params)).toBe(-32_602);
  });

  it(req('A2A-07', 'test_duplicate_request_ids'), async () => {
    for (const text of ['Hello', 'Another']) {
      const answer = await call(admin, 'SendMessage', { message: message(text) }, 'fixed');
      expect(answer).toMatchObject({
        jsonrpc: '2.0',
        id: 'fixed',
        result: { task: { id: expect.any(String) } },
      });
    }
  });
});

describe('errors of the protocol', () => {
  it(req('A2A-07', 'test_unsupported_operation_error_32004'), async () => {
    const { id } = await send(admin, 'A task that ends');
    expect(await codeOf(call(admin, 'SubscribeToTask', { id }))).toBe(-32_004);
  });

  it(req('A2A-07', 'test_content_type_not_supported_error_32005'), async () => {
    const parts = [{ url: 'https://example.com/a.bin', mediaType: 'application/x-nothing' }];
    expect(await codeOf(call(admin, 'SendMessage', { message: message('', { parts }) }))).toBe(-32_005);
  });

  it(
    req('A2A-07', 'test_nonexistent_resource_error_validation, test_error_consistency_across_methods'),
    async () => {
      for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask'])
        expect(await codeOf(call(admin, method, { id: NOWHERE })), method).toBe(-32_001);
    },
  );
});

describe('the agent card', () => {
  it(
    req('A2A-07', 'test_agent_card_available, test_agent_card_mandatory_fields and those beside it'),
    async () => {
      const answer = await server.anonymous().get('/.well-known/agent-card.json', V1);
      expect(answer.status).toBe(200);
      const text = expect.stringMatching(/\S/);
      expect(answer.body).toMatchObject({
        name: text,
        description: text,
        version: text,
        capabilities: { streaming: true, pushNotifications: true },
        defaultInputModes: ['text/plain', 'application/json'],
        defaultOutputModes: ['text/plain'],
        supportedInterfaces: expect.arrayContaining([
          { url: `${server.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ]),
      });
      const { skills } = answer.json<{
        skills: { id: string; name: string; description: string; tags: string[] }[];
      }>();
      for (const skill of skills)
        expect(skill).toMatchObject({ id: text, name: text, description: text, tags: [text] });
    },
  );

  it(
    req('A2A-07', 'test_sensitive_information_protection, test_security_scheme_structure_compliance'),
    async () => {
      const answer = await server.anonymous().get('/.well-known/agent-card.json', V1);
      expect(answer.text).not.toContain(server.admin.email);
      expect(answer.body).toMatchObject({
        securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
        securityRequirements: [{ schemes: { bearer: expect.anything() } }],
      });
    },
  );

  it(req('A2A-07', 'test_extended_agent_card_authentication_required'), async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard', params: {} };
    expect((await server.anonymous().post('/a2a/zeus', body, V1)).status).toBe(401);
    // Not declared in the card, and not there.
    expect((await post(admin, body)).error?.code).toBeLessThan(0);
  });

  it(
    req('A2A-07', 'test_authentication_required_when_declared, test_invalid_credentials_rejected'),
    async () => {
      const body = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: NOWHERE } };
      const wrong: Record<string, string>[] = [
        {},
        { authorization: 'Bearer invalid' },
        { authorization: 'Basic dTpw' },
      ];
      for (const headers of wrong) {
        const refused = await server
          .anonymous()
          .post('/a2a/zeus', body, { headers: { ...V1.headers, ...headers } });
        expect(refused.status).toBe(401);
        expect(refused.headers.get('www-authenticate')).toContain('Bearer');
      }
    },
  );
});

describe('messages and tasks', () => {
  it(req('A2A-07', 'test_message_send_valid_text, test_tasks_get_valid'), async () => {
    const task = await send(admin, 'Hello');
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, contextId: expect.any(String) });
    expect((await call(admin, 'GetTask', { id: task.id })).result).toMatchObject({ id: task.id });
  });

  it(req('A2A-07', 'test_message_send_continue_task'), async () => {
    const { contextId, id } = await send(admin, 'First');
    expect((await send(admin, 'Second', { contextId })).contextId).toBe(contextId);
    // A task here takes one message, which the protocol allows to say.
    expect(await codeOf(call(admin, 'SendMessage', { message: message('Third', { taskId: id }) }))).toBe(
      -32_004,
    );
    expect(await codeOf(call(admin, 'SendMessage', { message: message('x', { taskId: NOWHERE }) }))).toBe(
      -32_001,
    );
  });

  it(req('A2A-07', 'test_tasks_get_with_history_length, test_task_history_length'), async () => {
    const { id } = await send(admin, 'With a history');
    const history = async (historyLength: number) =>
      (await call(admin, 'GetTask', { id, historyLength })).result?.history ?? [];
    expect(await history(0)).toEqual([]);
    expect(await history(1)).toHaveLength(1);
    expect(await history(100)).toHaveLength(1);
  });

  it(req('A2A-07', 'test_tasks_get_nonexistent, test_tasks_cancel_nonexistent'), async () => {
    for (const id of [NOWHERE, 'no-such-task'])
      for (const method of ['GetTask', 'CancelTask'])
        expect(await codeOf(call(admin, method, { id })), `${method} ${id}`).toBe(-32_001);
  });

  it(req('A2A-07', 'test_tasks_cancel_valid'), async () => {
    provider.always({ chunks: Array.from({ length: 100 }, (_, i) => `${i} `), chunkDelayMs: 50 });
    try {
      const started = await call(admin, 'SendMessage', {
        message: message('Count'),
        configuration: { returnImmediately: true },
      });
      const id = started.result?.task?.id;
      expect((await call(admin, 'CancelTask', { id })).result).toMatchObject({
        id,
        status: { state: 'TASK_STATE_CANCELED' },
      });
      expect(await codeOf(call(admin, 'CancelTask', { id }))).toBe(-32_002);
    } finally {
      provider.always({ text: 'Done.' });
    }
  });
});

describe('push notifications', () => {
  const config = (id: string) => ({ id, url: 'https://example.com/tck-push-webhook' });
  const made = async (id: string): Promise<string> => {
    const task = await send(admin, 'A task that ends');
    const { result } = await call(admin, 'CreateTaskPushNotificationConfig', {
      taskId: task.id,
      ...config(id),
    });
    expect(result).toMatchObject({ taskId: task.id, ...config(id) });
    return task.id;
  };
  const get = (taskId: string, id: string) => call(admin, 'GetTaskPushNotificationConfig', { taskId, id });

  it(req('A2A-07', 'test_create_push_config, test_config_persists, test_get_push_config'), async () => {
    const taskId = await made('kept');
    expect((await get(taskId, 'kept')).result).toMatchObject({ taskId, ...config('kept') });
  });

  it(
    req('A2A-07', 'test_get_nonexistent_config_returns_error, test_set_push_notification_config_nonexistent'),
    async () => {
      const taskId = await made('one');
      expect(await codeOf(get(taskId, 'another'))).toBe(-32_001);
      expect(await codeOf(get(NOWHERE, 'default'))).toBe(-32_001);
      expect(
        await codeOf(
          call(admin, 'CreateTaskPushNotificationConfig', { taskId: 'nonexistent-task-id', ...config('x') }),
        ),
      ).toBe(-32_001);
    },
  );

  it(
    req('A2A-07', 'test_list_push_configs, test_delete_push_config, test_delete_is_idempotent'),
    async () => {
      const taskId = await made('listed');
      const listed = async () =>
        (await call(admin, 'ListTaskPushNotificationConfigs', { taskId })).result?.configs ?? [];
      expect(await listed()).toMatchObject([config('listed')]);
      for (const _time of ['first', 'second']) {
        const deleted = await call(admin, 'DeleteTaskPushNotificationConfig', { taskId, id: 'listed' });
        expect(deleted.error).toBeUndefined();
      }
      expect(await codeOf(get(taskId, 'listed'))).toBe(-32_001);
      expect(await listed()).toEqual([]);
    },
  );

  it(req(
    'A2A-07',
    'test_delivery_includes_auth, test_delivery_at_least_once, test_delivery_payload_format',
  ), async () => {
    const receiver = await startReceiver((response) => response.end());
    try {
      const authentication = { scheme: 'Bearer', credentials: 'tck-test-token' };
      const answer = await call(admin, 'SendMessage', {
        message: message('Told of its end'),
        configuration: { taskPushNotificationConfig: { id: 'push', url: receiver.url, authentication } },
      });
      const { id, contextId } = answer.result?.task ?? { id: '', contextId: '' };
      const last = () => JSON.parse(receiver.received.at(-1)?.body ?? 'null') as unknown;
      await expect
        .poll(last, { timeout: 60_000 })
        .toMatchObject({ task: { id, contextId, status: { state: 'TASK_STATE_COMPLETED' } } });
      for (const { headers } of receiver.received)
        expect(headers.authorization).toBe('Bearer tck-test-token');
    } finally {
      await receiver.close();
    }
  }, 90_000);
});

describe('the list of tasks', () => {
  let person: Client;
  let tasks: Task[];
  it.beforeAll(async () => {
    person = await newPerson(server, admin);
    tasks = [];
    for (let i = 0; i < 5; i++)
      tasks.push(
        await send(
          person,
          `Task ${i}`,
          i < 3 || tasks[0] === undefined ? {} : { contextId: tasks[0].contextId },
        ),
      );
  });
  const idsOf = (found: readonly Task[]) => found.map(({ id }) => id);

  it(req('A2A-07', 'test_list_tasks_empty_when_none_exist'), async () => {
    const nobody = await newPerson(server, admin);
    expect(await list(nobody)).toMatchObject({ tasks: [], totalSize: 0, nextPageToken: '' });
  });

  it(
    req(
      'A2A-07',
      'test_list_all_tasks, test_list_tasks_validates_required_fields, …_sorted_by_timestamp_descending',
    ),
    async () => {
      const found = await list(person);
      expect(idsOf(found.tasks)).toEqual(idsOf(tasks).reverse());
      expect(found).toMatchObject({ totalSize: 5, nextPageToken: '', pageSize: 50 });
      for (const task of found.tasks)
        expect(task).toMatchObject({
          contextId: expect.any(String),
          status: { timestamp: expect.any(String) },
        });
    },
  );

  it(req('A2A-07', 'test_filter_by_context_id, test_filter_by_status, test_combined_filters'), async () => {
    const contextId = tasks[0]?.contextId;
    const [first, , , fourth, fifth] = idsOf(tasks);
    const ofContext = [fifth, fourth, first];
    expect(idsOf((await list(person, { contextId })).tasks)).toEqual(ofContext);
    expect((await list(person, { status: 'TASK_STATE_COMPLETED' })).totalSize).toBe(5);
    expect((await list(person, { status: 'TASK_STATE_WORKING' })).tasks).toEqual([]);
    expect(idsOf((await list(person, { contextId, status: 'TASK_STATE_COMPLETED' })).tasks)).toEqual(
      ofContext,
    );
    expect((await list(person, { contextId, status: 'TASK_STATE_FAILED' })).tasks).toEqual([]);
  });

  it(req('A2A-07', 'test_filter_by_last_updated_after'), async () => {
    const statusTimestampAfter = tasks[3]?.status.timestamp;
    expect(idsOf((await list(person, { statusTimestampAfter })).tasks)).toEqual([tasks[4]?.id]);
  });

  it(
    req(
      'A2A-07',
      'test_custom_page_size, test_page_token_navigation, test_last_page_detection, test_total_size_accuracy',
    ),
    async () => {
      const seen: string[] = [];
      let pageToken = '';
      for (let pages = 0; pages < 3; pages++) {
        const page = await list(person, { pageSize: 2, pageToken });
        expect(page.totalSize).toBe(5);
        expect(page.tasks.length).toBeLessThanOrEqual(2);
        seen.push(...idsOf(page.tasks));
        pageToken = page.nextPageToken;
      }
      expect([pageToken, seen]).toEqual(['', idsOf(tasks).reverse()]);
      expect((await list(person, { pageSize: 10 })).nextPageToken).toBe('');
    },
  );

  it(
    req('A2A-07', 'test_history_length_zero, test_history_length_custom, test_history_length_exceeds_actual'),
    async () => {
      for (const [historyLength, length] of [
        [0, 0],
        [1, 1],
        [3, 1],
        [1000, 1],
      ])
        for (const task of (await list(person, { historyLength })).tasks)
          expect(task.history ?? [], String(historyLength)).toHaveLength(length ?? 0);
    },
  );

  it(
    req('A2A-07', 'test_artifacts_excluded_by_default, test_artifacts_included_when_requested'),
    async () => {
      for (const task of (await list(person)).tasks) expect(task.artifacts ?? []).toEqual([]);
      for (const task of (await list(person, { includeArtifacts: true })).tasks)
        expect(task.artifacts?.[0]?.parts[0]?.text).toBe('Done.');
    },
  );

  it.each([
    ['test_invalid_page_token_error', { pageToken: 'invalid-token' }],
    ['test_invalid_status_error', { status: 'invalid-status' }],
    ['test_negative_page_size_error', { pageSize: -1 }],
    ['test_zero_page_size_error', { pageSize: 0 }],
    ['test_out_of_range_page_size_error', { pageSize: 101 }],
    ['test_negative_history_length_error', { historyLength: -1 }],
    ['test_invalid_timestamp_error', { statusTimestampAfter: 'not-a-timestamp' }],
  ])(req('A2A-07', '%s'), async (_name, params) => {
    expect(await codeOf(call(person, 'ListTasks', params))).toBe(-32_602);
  });
});
