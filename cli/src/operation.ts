/** One operation of the API, as `sdk/codegen` writes it down for the command line. */

export type FieldKind = 'text' | 'integer' | 'number' | 'flag' | 'json';

export interface OperationField {
  readonly name: string;
  readonly kind: FieldKind;
  /** Takes several values. */
  readonly list: boolean;
  /** All that is allowed; empty for anything. */
  readonly values: readonly string[];
  readonly nullable: boolean;
  readonly required: boolean;
  readonly about: string;
}

export interface Operation {
  readonly resource: string;
  readonly method: string;
  readonly path: string;
  readonly about: string;
  readonly pathParameters: readonly string[];
  readonly query: readonly OperationField[];
  readonly bodyKind: 'none' | 'json' | 'ndjson';
  readonly body: readonly OperationField[];
  readonly answer: 'json' | 'none' | 'text' | 'bytes' | 'stream';
  /** How a list comes: not at all, with its cursor in the body, or as a bare array with a Link header. */
  readonly list: 'none' | 'page' | 'bare';
  /** Answers may take minutes. */
  readonly slow: boolean;
}
