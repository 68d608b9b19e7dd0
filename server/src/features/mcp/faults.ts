import { AppError } from '../../kernel/errors.ts';
import { McpFault } from '../../kernel/mcp.ts';

/** A fault of a server as the API says it (contract, sections 2 and 14). */
export const mcpErrorOf = (error: unknown, server: string): AppError => {
  if (error instanceof AppError) return error;
  const details = { server };
  if (!(error instanceof McpFault)) {
    return new AppError('INTERNAL_ERROR', 'something went wrong inside', { details, cause: error });
  }
  switch (error.kind) {
    case 'timeout':
      return new AppError(
        'UPSTREAM_TIMEOUT',
        `the MCP server ${server} did not answer in time; the call was cancelled`,
        {
          details,
          cause: error,
        },
      );
    case 'cancelled':
      return new AppError('UPSTREAM_ERROR', 'the call was cancelled', { details, cause: error });
    case 'closed':
      return new AppError(
        'UPSTREAM_ERROR',
        `the connection to the MCP server ${server} broke off during the call`,
        {
          details,
          cause: error,
        },
      );
    case 'unreachable':
      return new AppError('SERVICE_UNAVAILABLE', `the MCP server ${server} cannot be reached`, {
        details,
        retryAfterS: 5,
        cause: error,
      });
    default:
      return new AppError('UPSTREAM_ERROR', `the MCP server ${server} answered wrongly: ${error.message}`, {
        details: { server, reason: error.kind },
        cause: error,
      });
  }
};
