import type { StreamResponse } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { V1PushNotificationSerializer } from '@a2a-js/sdk/server';
import type { Turn } from '../../chat/index.ts';
import { taskOf } from '../tasks.ts';

const SERIALIZERS = {
  v1: new V1PushNotificationSerializer(),
  legacy: new V03PushNotificationSerializer(),
};

/** What is sent: the whole task as it stands, in the words of the version that the client speaks. */
export const notificationOf = (turn: Turn, protocol: string): { body: string; contentType: string } => {
  const task = taskOf(turn, undefined);
  const response: StreamResponse = { payload: { $case: 'task', value: task } };
  return protocol === A2A_LEGACY_PROTOCOL_VERSION
    ? SERIALIZERS.legacy.serialize(response, task)
    : SERIALIZERS.v1.serialize(response, task);
};
