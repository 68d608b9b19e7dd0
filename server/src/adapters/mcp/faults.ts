import {
  InsufficientScopeError,
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { McpFault } from '../../kernel/mcp.ts';
import { OutgoingRefused } from '../../kernel/outgoing.ts';

/** The status of the HTTP answer behind an error, where there was one. */
export const httpStatusOf = (error: unknown): number | null => {
  if (error instanceof SdkHttpError) return error.status;
  if (error instanceof SseError) return error.code ?? null;
  return null;
};

const rootOf = (error: unknown): unknown => {
  let at = error;
  for (let i = 0; i < 8 && at instanceof Error && at.cause !== undefined; i++) at = at.cause;
  return at;
};

const textOf = (error: unknown): string => {
  const root = rootOf(error);
  const text = root instanceof Error ? root.message || root.name : String(root);
  return text.slice(0, 500);
};

/** Anything that the SDK, the transport or the network threw, as a fault of the port. */
export const toFault = (error: unknown, signal?: AbortSignal): McpFault => {
  if (error instanceof McpFault) return error;
  if (signal?.aborted) return new McpFault('cancelled', 'the call was cancelled', error);
  const root = rootOf(error);
  if (root instanceof McpFault) return root;
  if (rootOf(error) instanceof OutgoingRefused) return new McpFault('unreachable', textOf(error), error);
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) {
    return new McpFault('unauthorized', error.message || 'the server refuses the credentials', error);
  }
  if (error instanceof OAuthError || error instanceof OAuthClientFlowError) {
    return new McpFault('unauthorized', `signing in failed: ${error.message}`.slice(0, 500), error);
  }
  const status = httpStatusOf(error);
  if (status === 401 || status === 403) {
    return new McpFault('unauthorized', `the server refuses the credentials (${status})`, error);
  }
  // The protocol says 404 for a session that is gone; several servers say 400.
  if (status === 404 || status === 400) {
    return new McpFault('expired', `the server does not know the session (${status})`, error);
  }
  if (status !== null) return new McpFault('protocol', `the server answered ${status}`, error);
  if (error instanceof ProtocolError) return new McpFault('protocol', error.message.slice(0, 500), error);
  if (error instanceof SdkError) {
    switch (error.code) {
      case SdkErrorCode.RequestTimeout:
        return new McpFault('timeout', 'the server did not answer in time', error);
      case SdkErrorCode.ConnectionClosed:
      case SdkErrorCode.NotConnected:
      case SdkErrorCode.SendFailed:
        return new McpFault('closed', 'the connection to the server broke off', error);
      // While connecting: the network's or the process's own words are at the root.
      case SdkErrorCode.EraNegotiationFailed:
        return new McpFault('unreachable', textOf(error), error);
      default:
        return new McpFault('protocol', textOf(error), error);
    }
  }
  return new McpFault('closed', textOf(error), error);
};
