import type { NodeMessages } from '../../kernel/cluster.ts';
import type { Answered } from './answered.ts';
import type { RedisClient } from './client.ts';

/** Messages between nodes by publish and subscribe: one channel for all, one for each node. */
interface Envelope {
  from: string;
  topic: string;
  message: unknown;
}

const isEnvelope = (value: unknown): value is Envelope =>
  typeof value === 'object' &&
  value !== null &&
  'from' in value &&
  typeof value.from === 'string' &&
  'topic' in value &&
  typeof value.topic === 'string' &&
  'message' in value;

type Listener = (message: unknown, from: string) => void;

export const createRedisMessages = async (options: {
  ask: Answered;
  subscriber: RedisClient;
  prefix: string;
  nodeId: string;
  onError(error: unknown, message: string): void;
}): Promise<NodeMessages> => {
  const { ask, subscriber, prefix, nodeId, onError } = options;
  const listeners = new Map<string, Set<Listener>>();
  const channelOf = (to: string | undefined): string =>
    to === undefined ? `${prefix}all` : `${prefix}node:${to}`;

  const onMessage = (text: string): void => {
    let envelope: unknown;
    try {
      envelope = JSON.parse(text);
    } catch (error) {
      return onError(error, 'a message of another node could not be read');
    }
    if (!isEnvelope(envelope) || envelope.from === nodeId) return;
    for (const listener of listeners.get(envelope.topic) ?? []) {
      try {
        listener(envelope.message, envelope.from);
      } catch (error) {
        onError(error, `a message of another node about ${envelope.topic} could not be taken`);
      }
    }
  };
  await subscriber.subscribe([channelOf(undefined), channelOf(nodeId)], onMessage);

  return {
    send(topic, message, to) {
      const envelope: Envelope = { from: nodeId, topic, message };
      ask((redis) => redis.publish(channelOf(to), JSON.stringify(envelope))).catch((error: unknown) => {
        onError(error, `other nodes could not be told of ${topic}`);
      });
    },
    receive(topic, listener) {
      const known = listeners.get(topic) ?? new Set();
      known.add(listener);
      listeners.set(topic, known);
      return () => void known.delete(listener);
    },
  };
};
