/** One operation of api/openapi.json, as the clients offer it. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export type ResponseKind = 'json' | 'none' | 'text' | 'bytes' | 'stream';
export type BodyKind = 'none' | 'json' | 'ndjson';

export interface Operation {
  readonly id: string;
  /** Of an operation that answers in one piece too: this is its answer as events. */
  readonly asEvents: boolean;
  /** camelCase name of the resource, e.g. `oauthClients`. */
  readonly resource: string;
  /** camelCase name of the method in its resource, e.g. `listMessages`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly pathParameters: readonly string[];
  readonly query: readonly Parameter[];
  readonly bodyKind: BodyKind;
  readonly body: Schema | null;
  readonly bodyRequired: boolean;
  readonly responseKind: ResponseKind;
  /** All different bodies of 2xx answers. */
  readonly responses: readonly Schema[];
}
