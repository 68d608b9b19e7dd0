/** Requests to an external OpenID provider. Each rejects when the provider does not answer well within a few seconds. */
export interface IssuerHttp {
  /** The discovery document. */
  discovery(): Promise<Record<string, unknown>>;
  /** Keys of the set at an address that the document names. */
  keys(uri: string): Promise<readonly unknown[]>;
  /** The answer of RFC 7662 for a token, asked with the API's own credentials. */
  introspect(uri: string, token: string): Promise<Record<string, unknown>>;
}
