import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  CallMcpToolRequest,
  CreateMcpServerRequest,
  ImportMcpServersRequest,
  McpServer,
  McpTool,
  TestMcpServerRequest,
  UpdateMcpServerRequest,
} from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';

/** Reads and writes of this feature; pages hold no calls of their own. */

/** No event tells of a connection: what is shown is asked anew so often. */
const REFRESH_MS = 10_000;
const PAGE = 100;

const gather = async <T>(items: AsyncGenerator<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

export const useServers = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['mcp', 'servers'],
    queryFn: ({ signal }) => gather<McpServer>(api.mcp.listServersAll({ limit: PAGE }, { signal })),
    refetchInterval: REFRESH_MS,
  });
};

/** A server that is not connected has no tools to read. */
export const useTools = (server: string, enabled: boolean) => {
  const api = useApi();
  return useQuery({
    queryKey: ['mcp', 'tools', server],
    queryFn: ({ signal }) => gather<McpTool>(api.mcp.listToolsAll(server, { limit: PAGE }, { signal })),
    refetchInterval: REFRESH_MS,
    enabled,
  });
};

export const useLogs = (server: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['mcp', 'logs', server],
    queryFn: ({ signal }) => api.mcp.getServerLogs(server, { signal }),
    refetchInterval: REFRESH_MS,
  });
};

const useChanged = () => {
  const queryClient = useQueryClient();
  return (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['mcp'] });
};

export const useServerActions = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  const onSettled = useChanged();
  return {
    create: useMutation({
      mutationFn: (body: CreateMcpServerRequest) => api.mcp.createServer(body),
      onSettled,
    }),
    importAll: useMutation({
      mutationFn: (body: ImportMcpServersRequest) => api.mcp.importServers(body),
      onSettled,
    }),
    update: useMutation({
      mutationFn: ({ name, body }: { name: string; body: UpdateMcpServerRequest }) =>
        api.mcp.updateServer(name, body),
      onSettled,
    }),
    /** Off and on again: the old connection ends, and a new one is tried at once, whatever the back-off says. */
    restart: useMutation({
      mutationFn: async (name: string) => {
        await api.mcp.updateServer(name, { enabled: false });
        return api.mcp.updateServer(name, { enabled: true });
      },
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (name: string) => api.mcp.deleteServer(name),
      // Its tools and its log, which are shown still, are gone: asking for them would be a 404.
      onSettled: () => queryClient.invalidateQueries({ queryKey: ['mcp', 'servers'] }),
    }),
    /** As they were shown: one that has changed meanwhile is refused, and is not accepted unseen. */
    acceptAll: useMutation({
      mutationFn: ({ name, tools }: { name: string; tools: readonly McpTool[] }) =>
        api.mcp.acceptTools(name, {
          fingerprints: Object.fromEntries(tools.map((tool) => [tool.name, tool.fingerprint])),
        }),
      onSettled,
    }),
    authorize: useMutation({ mutationFn: (name: string) => api.mcp.authorizeServer(name) }),
  };
};

/** Nothing is registered by it. */
export const useTestServer = () => {
  const api = useApi();
  return useMutation({ mutationFn: (body: TestMcpServerRequest) => api.mcp.testServer(body) });
};

export const useAcceptTool = (server: string) => {
  const api = useApi();
  const onSettled = useChanged();
  return useMutation({
    mutationFn: ({ name, fingerprint }: Pick<McpTool, 'name' | 'fingerprint'>) =>
      api.mcp.acceptTool(server, name, { fingerprint }),
    onSettled,
  });
};

export const useCallTool = (server: string) => {
  const api = useApi();
  return useMutation({
    // The time counts on the server; the client must not give up before.
    mutationFn: (body: CallMcpToolRequest) => api.mcp.callTool(server, body),
  });
};
