import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { CliError, usage } from '../errors.ts';
import { jsonOption } from '../perform.ts';
import { argument, type Shell, textOption } from '../shell.ts';
import { safe } from '../text.ts';

/** MCP servers and their tools, where one operation with options does not read well. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const addServer = (shell: Shell): Command => {
  const command = new Command('add')
    .description('Register a server: an address for http, or a program behind --')
    .argument('<name>')
    .argument('[url]', 'address of an http server')
    .argument('[command...]', 'program and arguments of a stdio server, behind --')
    .option('--data <json>', 'more fields (headers, env, policy, access), or @FILE')
    .action(async () => {
      const { client, out, runtime } = shell.open(command);
      const [name = '', first, ...rest] = command.args;
      const text = textOption(command, 'data');
      const data = text === undefined ? {} : jsonOption(text, '--data', runtime.cwd);
      if (!isRecord(data)) throw usage('--data must be a JSON object');
      if (first === undefined && Object.keys(data).length === 0)
        throw usage('an address or a program is needed');
      const http = first !== undefined && /^https?:\/\//.test(first);
      const where =
        first === undefined
          ? {}
          : http
            ? { transport: 'http', url: first }
            : { transport: 'stdio', command: first, args: rest };
      const made = await client.http.json<unknown>({
        method: 'POST',
        path: '/api/v1/mcp/servers',
        json: { ...data, ...where, name },
      });
      out.record(made);
    });
  return shell.finish(command, [
    'mcp add crm https://crm.example.com/mcp --data \'{"headers": {"X-Team": "north"}}\'',
    'mcp add files -- npx -y @modelcontextprotocol/server-filesystem /srv/notes',
  ]);
};

export const importServers = (shell: Shell): Command => {
  const command = new Command('import')
    .description('Register all servers of a file in the mcpServers form')
    .argument('<file>')
    .action(async () => {
      const { client, out, runtime } = shell.open(command);
      const name = argument(command, 0);
      const value = jsonOption(readFileSync(path.resolve(runtime.cwd, name), 'utf8'), name, runtime.cwd);
      out.record(
        await client.http.json<unknown>({ method: 'POST', path: '/api/v1/mcp/servers/import', json: value }),
      );
    });
  return shell.finish(command, ['mcp import claude_desktop_config.json']);
};

export const callTool = (shell: Shell): Command => {
  const command = new Command('call')
    .description('Call a tool of a server')
    .argument('<server>')
    .argument('<tool>')
    .argument('[arguments]', 'JSON, or @FILE')
    .option('--timeout-ms <n>', 'the call is cancelled after so long')
    .action(async () => {
      const { client, out, runtime } = shell.open(command);
      const [server = '', tool = '', text] = command.args;
      const given = text === undefined ? undefined : jsonOption(text, 'the arguments', runtime.cwd);
      if (given !== undefined && !isRecord(given)) throw usage('the arguments must be a JSON object');
      const limit = textOption(command, 'timeoutMs');
      const result = await client.mcp.callTool(server, {
        tool,
        ...(given === undefined ? {} : { arguments: given }),
        ...(limit === undefined ? {} : { timeout_ms: Number(limit) }),
      });
      if ('proposal' in result) {
        const { id } = result.proposal;
        if (out.json) out.record(result);
        throw new CliError(
          `the call awaits approval: proposal ${id}`,
          14,
          `pentarch proposals vote ${id} approve`,
          'AWAITING_APPROVAL',
        );
      }
      if (out.json) out.record(result);
      else {
        for (const part of result.content) {
          out.line(typeof part.text === 'string' ? safe(part.text) : safe(JSON.stringify(part)));
        }
      }
      if (result.is_error) throw new CliError('the tool reports a failure', 10, null, 'TOOL_FAILED');
    });
  return shell.finish(command, ['mcp call files read_file \'{"path": "notes.txt"}\'']);
};
