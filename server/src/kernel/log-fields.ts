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

export type LogWork = Work;

/** What carries the fields along with the work: an `AsyncLocalStorage`, which the process's log brings (log.ts). */
export interface LogCarrier {
  run<T>(of: Work, work: () => T): T;
  getStore(): Work | undefined;
}

let carrier: LogCarrier | null = null;

export const useLogCarrier = (next: LogCarrier): void => {
  carrier = next;
};

export const logWork = (fields: LogFields): LogWork => ({ fields, ended: false });

const withinLog = <T>(of: LogWork, work: () => T): T => (carrier === null ? work() : carrier.run(of, work));

/** For work that has an end of its own. */
export const withLogFields = async <T>(fields: LogFields, work: () => Promise<T>): Promise<T> => {
  const own = logWork(fields);
  try {
    return await withinLog(own, work);
  } finally {
    own.ended = true;
  }
};

/** Adds to the fields of the present work. */
export const noteLogFields = (fields: LogFields): void => {
  const present = carrier?.getStore();
  if (present !== undefined) Object.assign(present.fields, fields);
};

/** Of the present work; null outside of any. */
export const logFields = (): Readonly<LogFields> | null => {
  const present = carrier?.getStore();
  return present === undefined || present.ended ? null : present.fields;
};
