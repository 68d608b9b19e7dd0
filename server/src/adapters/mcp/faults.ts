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

const MAX_CHARACTERS = 300;
const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…`;
};

/** The first of the issues that a schema found, in words; null where there are none. */
const issueText = (issues: unknown): string | null => {
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  if (typeof first !== 'object' || first === null || !('message' in first)) return null;
  const path = 'path' in first && Array.isArray(first.path) ? first.path.join('.') : '';
  return `${path === '' ? '' : `${path}: `}${String(first.message)}`;
};

/** A message without the raw issues that schemas put there. */
const plain = (text: string): string => {
  const start = text.indexOf('[');
  const before = text.slice(0, Math.max(0, start));
  try {
    return short(
      start < 0 ? text : `${before}${issueText(JSON.parse(text.slice(start))) ?? text.slice(start)}`,
    );
  } catch {
    return short(text);
  }
};

const textOf = (error: unknown): string => {
  const root = rootOf(error);
  return plain(root instanceof Error ? root.message || root.name : String(root));
};

const issuesOf = (error: unknown): unknown =>
  error instanceof Error && 'issues' in error ? error.issues : undefined;

/** Anything that the SDK, the transport or the network threw, as a fault of the port. */
export const toFault = (error: unknown, signal?: AbortSignal): McpFault => {
  if (error instanceof McpFault) return error;
  if (signal?.aborted) return new McpFault('cancelled', 'the call was cancelled', error);
  const root = rootOf(error);
  if (root instanceof McpFault) return root;
  if (error instanceof RangeError) {
    return new McpFault('protocol', 'what it sent is nested too deeply or too large', error);
  }
  const issue = issueText(issuesOf(error));
  if (issue !== null) return new McpFault('protocol', short(`not as the protocol says: ${issue}`), error);
  if (root instanceof OutgoingRefused) return new McpFault('unreachable', textOf(error), error);
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) {
    return new McpFault('unauthorized', plain(error.message) || 'the server refuses the credentials', error);
  }
  if (error instanceof OAuthError || error instanceof OAuthClientFlowError) {
    return new McpFault('unauthorized', `signing in failed: ${plain(error.message)}`, error);
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
  if (error instanceof ProtocolError)
    return new McpFault('protocol', plain(error.message), error, error.code);
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

/** As `toFault`, for signing in: there is no call that could have broken off. */
export const toSignInFault = (error: unknown): McpFault => {
  const fault = toFault(error);
  if (fault.kind !== 'closed' && fault.kind !== 'protocol' && fault.kind !== 'expired') return fault;
  return new McpFault('unauthorized', short(`signing in failed: ${fault.message}`), error);
};
