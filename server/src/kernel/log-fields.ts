import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What every line of the log says of the request or run that it belongs to. It goes along with the asynchronous work, since a
 * line may come from anywhere in it; nothing is decided by it.
 */
export interface LogFields {
  request_id?: string;
  tenant_id?: string;
  user_id?: string;
  /** Address of the client, behind trusted proxies that which they name. */
  client?: string;
  run_id?: string;
  conversation_id?: string;
  /** Kind of the background job. */
  job?: string;
}

interface Work {
  fields: LogFields;
  /** Over: what goes on by itself after it (timers, connections) is not of it any more. */
  ended: boolean;
}

const work = new AsyncLocalStorage<Work>();

export type LogWork = Work;

export const logWork = (fields: LogFields): LogWork => ({ fields, ended: false });

export const withinLog = <T>(of: LogWork, run: () => T): T => work.run(of, run);

/** For work that has an end of its own. */
export const withLogFields = async <T>(fields: LogFields, run: () => Promise<T>): Promise<T> => {
  const own = logWork(fields);
  try {
    return await work.run(own, run);
  } finally {
    own.ended = true;
  }
};

/** Adds to the fields of the present work. */
export const noteLogFields = (fields: LogFields): void => {
  const present = work.getStore();
  if (present !== undefined) Object.assign(present.fields, fields);
};

/** Of the present work; null outside of any. */
export const logFields = (): Readonly<LogFields> | null => {
  const present = work.getStore();
  return present === undefined || present.ended ? null : present.fields;
};
