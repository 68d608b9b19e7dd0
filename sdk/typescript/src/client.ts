import { type LiveEvent, type LiveOptions, liveEvents } from './events.ts';
import { allResources } from './generated/resources.ts';
import { type ClientOptions, createHttp } from './http.ts';
import { type UploadOptions, uploadDocument } from './uploads.ts';

const everything = (options: ClientOptions) => {
  const http = createHttp(options);
  const all = allResources(http);
  return {
    ...all,
    knowledge: {
      ...all.knowledge,
      /** Uploads and indexes a file; it is searchable when the promise resolves. */
      uploadDocument: (file: Parameters<typeof uploadDocument>[1], upload?: UploadOptions) =>
        uploadDocument(http, file, upload),
    },
    /** Events as they happen, over a WebSocket. */
    events: (live?: LiveOptions): AsyncGenerator<LiveEvent> => liveEvents(http, live),
    http,
  };
};

export interface Client extends ReturnType<typeof everything> {
  /** A client with other options; what is not given stays, and `headers` are added. A source of tokens is shared. */
  withOptions(changes: Partial<ClientOptions>): Client;
}

/**
 * A client with every resource. Where size counts, take `createHttp` and only the resources needed:
 * `const chat = resources.chat(createHttp(options))`.
 */
export const createClient = (options: ClientOptions): Client => ({
  ...everything(options),
  withOptions: (changes) =>
    createClient({ ...options, ...changes, headers: { ...options.headers, ...changes.headers } }),
});
