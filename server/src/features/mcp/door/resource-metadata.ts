import { type AnyRoute, route } from '../../../http/route.ts';
import { addressAsAsked } from '../../../kernel/loopback.ts';
import { AnyObject } from '../../../kernel/schema.ts';

export const PATH = '/mcp';
const METADATA = '/.well-known/oauth-protected-resource';

export interface MetadataOptions {
  publicUrl(): string;
  issuer(): string;
  scopes: readonly string[];
}

/** Where a client learns who issues tokens for `/mcp`. */
export const metadataUrlOf = (publicUrl: string): string => `${publicUrl}${METADATA}${PATH}`;

/** RFC 9728: where the tokens for `/mcp` come from. */
const metadataRoute = (options: MetadataOptions, path: string, operationId: string): AnyRoute =>
  route({
    method: 'GET',
    path,
    surface: 'root',
    operationId,
    summary: 'Protected resource metadata of the MCP server (RFC 9728)',
    tag: 'MCP',
    access: 'public',
    responses: { 200: AnyObject() },
    handler: ({ request, reply }) => {
      reply.header('cache-control', 'public, max-age=300');
      return {
        // Clients compare it with the address that they have called.
        resource: `${addressAsAsked(request.headers.host, options.publicUrl())}${PATH}`,
        authorization_servers: [options.issuer()],
        bearer_methods_supported: ['header'],
        scopes_supported: [...options.scopes],
        resource_name: 'Pentarch',
      };
    },
  });

export const metadataRoutes = (options: MetadataOptions): AnyRoute[] => [
  metadataRoute(options, METADATA, 'getProtectedResourceMetadata'),
  metadataRoute(options, `${METADATA}${PATH}`, 'getMcpResourceMetadata'),
];
