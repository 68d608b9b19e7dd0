import { type LiveEvent, type LiveOptions, liveEvents } from './events.ts';
import { allResources } from './generated/resources.ts';
import { type ClientOptions, createHttp } from './http.ts';
import { type UploadOptions, uploadDocument } from './uploads.ts';

/**
 * A client with every resource. Where size counts, take `createHttp` and only the resources needed:
 * `const chat = resources.chat(createHttp(options))`.
 */
export const createClient = (options: ClientOptions) => {
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

export type Client = ReturnType<typeof createClient>;
