/** The port of outgoing connections to addresses that users name (MCP servers, webhooks, documents by address). */
export interface OutgoingHttp {
  /** Why this address may not be called, as it stands (names are checked again when they are resolved); null = it may. */
  check(url: string): string | null;
  /**
   * As the standard `fetch`, but redirects are handed back instead of followed, and the connection is refused (with
   * `OutgoingRefused` as the cause) when the address really connected to is not allowed.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export class OutgoingRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OutgoingRefused';
  }
}
