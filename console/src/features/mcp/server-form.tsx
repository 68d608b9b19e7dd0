import { Plus, X } from 'lucide-react';
import type { McpServer, TestMcpServerRequest, UpdateMcpServerRequest } from 'pentarch-sdk';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Input, Select, Textarea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorState } from '../../components/states.tsx';
import { StatusPill } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import styles from './mcp.module.css';
import { useServerActions, useTestServer } from './queries.ts';

/** Registering and changing a server. Values of headers and environment only go in: the API never gives them back. */

interface Pair {
  key: number;
  name: string;
  value: string;
}

const Secrets = ({
  label,
  pairs,
  onChange,
}: {
  label: string;
  pairs: readonly Pair[];
  onChange: (pairs: readonly Pair[]) => void;
}) => {
  const change = (key: number, part: Partial<Pair>): void =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...part } : pair)));
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      <p className={styles.hint}>Kept encrypted, and never shown again.</p>
      {pairs.map((pair, index) => (
        <div key={pair.key} className={styles.keyRow}>
          <Input
            label={`Name ${index + 1}`}
            value={pair.name}
            autoComplete="off"
            onChange={(event) => change(pair.key, { name: event.currentTarget.value })}
          />
          <Input
            label={`Value ${index + 1}`}
            type="password"
            value={pair.value}
            autoComplete="new-password"
            onChange={(event) => change(pair.key, { value: event.currentTarget.value })}
          />
          <IconButton
            label={`Remove ${label} ${index + 1}`}
            icon={<X size={14} />}
            onClick={() => onChange(pairs.filter(({ key }) => key !== pair.key))}
          />
        </div>
      ))}
      <div>
        <Button
          onClick={() =>
            onChange([
              ...pairs,
              { key: Math.max(0, ...pairs.map(({ key }) => key)) + 1, name: '', value: '' },
            ])
          }
        >
          <Plus size={14} aria-hidden="true" /> Add
        </Button>
      </div>
    </fieldset>
  );
};

const recordOf = (pairs: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), value]])));

const TRANSPORTS = [
  { value: 'http', label: 'HTTP: an address' },
  { value: 'stdio', label: 'Process: a command of the machine' },
] as const;
const GRANTS = [
  { value: '', label: 'None, or a header' },
  { value: 'authorization_code', label: 'OAuth: somebody signs in' },
  { value: 'client_credentials', label: 'OAuth: client and secret' },
] as const;

interface ServerFormProps {
  /** null: a new one. */
  server: McpServer | null;
  onClose: () => void;
  onSaved: (name: string) => void;
}

export const ServerForm = ({ server, onClose, onSaved }: ServerFormProps) => {
  const { create, update } = useServerActions();
  const test = useTestServer();
  const toast = useToast();
  const [name, setName] = useState('');
  const [title, setTitle] = useState(server?.title ?? '');
  const [transport, setTransport] = useState<'http' | 'stdio'>(
    server?.transport === 'stdio' ? 'stdio' : 'http',
  );
  const [url, setUrl] = useState('');
  const [command, setCommand] = useState('');
  const [args, setArgs] = useState('');
  const [pairs, setPairs] = useState<readonly Pair[]>([]);
  const [replaces, setReplaces] = useState(server === null);
  const [grant, setGrant] = useState<(typeof GRANTS)[number]['value']>('');
  const [clientId, setClientId] = useState('');
  const [clientSecret, setClientSecret] = useState('');
  const [timeoutS, setTimeoutS] = useState(String((server?.timeout_ms ?? 60_000) / 1000));
  const save = server === null ? create : update;

  const oauth =
    grant === ''
      ? {}
      : {
          oauth: {
            grant,
            ...(clientId === '' ? {} : { client_id: clientId }),
            ...(clientSecret === '' ? {} : { client_secret: clientSecret }),
          },
        };
  const secrets = recordOf(pairs);
  const lines = args.split('\n').filter((line) => line !== '');
  const endpoint: Omit<TestMcpServerRequest, 'transport'> =
    transport === 'http'
      ? {
          ...(server !== null && url === '' ? {} : { url }),
          ...(replaces ? { headers: secrets } : {}),
          ...oauth,
        }
      : {
          ...(server !== null && command === '' ? {} : { command }),
          ...(server !== null && args === '' ? {} : { args: lines }),
          ...(replaces ? { env: secrets } : {}),
        };
  const settings: UpdateMcpServerRequest = {
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    ...(Number(timeoutS) > 0 ? { timeout_ms: Math.round(Number(timeoutS) * 1000) } : {}),
  };
  const submit = (): void => {
    if (server === null) {
      create.mutate(
        { name, transport, ...endpoint, ...settings },
        {
          onSuccess: (made) => {
            toast.done(`“${made.name}” is registered`);
            onSaved(made.name);
          },
        },
      );
      return;
    }
    update.mutate(
      { name: server.name, body: { ...endpoint, ...settings } },
      {
        onSuccess: () => {
          toast.done('The server is changed');
          onSaved(server.name);
        },
      },
    );
  };
  const kept = server === null ? undefined : 'Left empty: as it is.';
  const secretLabel = transport === 'http' ? 'Headers' : 'Environment';
  return (
    <Dialog
      open
      onClose={onClose}
      title={server === null ? 'Register server' : `Change ${server.title}`}
      description={
        server === null
          ? 'Review its tools and accept them on its page. Until then, answers that use them ask before they act.'
          : undefined
      }
    >
      <Form
        error={save.error}
        fields={['name', 'title', 'url', 'command', 'args', 'timeout_ms']}
        onSubmit={submit}
      >
        {(fault) => (
          <>
            {server === null && (
              <Input
                label="Name"
                hint="Letters a–z, digits and hyphens: tools are called by it."
                value={name}
                fault={fault('name')}
                autoComplete="off"
                onChange={(event) => setName(event.currentTarget.value)}
              />
            )}
            <Input
              label="Title"
              hint={server === null ? 'Left empty: what the server calls itself.' : undefined}
              value={title}
              fault={fault('title')}
              autoComplete="off"
              onChange={(event) => setTitle(event.currentTarget.value)}
            />
            {server === null && (
              <Select
                label="Reached by"
                value={transport}
                options={TRANSPORTS}
                onChange={(event) => setTransport(event.currentTarget.value === 'stdio' ? 'stdio' : 'http')}
              />
            )}
            {transport === 'http' ? (
              <Input
                label="Address"
                type="url"
                placeholder="https://example.com/mcp"
                hint={kept}
                value={url}
                fault={fault('url')}
                autoComplete="off"
                onChange={(event) => setUrl(event.currentTarget.value)}
              />
            ) : (
              <>
                <Input
                  label="Command"
                  hint={kept ?? 'Only what the setting MCP_ALLOW_STDIO names.'}
                  value={command}
                  fault={fault('command')}
                  autoComplete="off"
                  onChange={(event) => setCommand(event.currentTarget.value)}
                />
                <Textarea
                  label="Arguments, one a line"
                  rows={3}
                  hint={kept}
                  value={args}
                  fault={fault('args')}
                  spellCheck={false}
                  onChange={(event) => setArgs(event.currentTarget.value)}
                />
              </>
            )}
            {server !== null && (
              <Checkbox
                label={`Replace the ${secretLabel.toLowerCase()}`}
                hint="The stored value is not shown; what you enter replaces all of it."
                checked={replaces}
                onChange={setReplaces}
              />
            )}
            {replaces && <Secrets label={secretLabel} pairs={pairs} onChange={setPairs} />}
            {transport === 'http' && (
              <Select
                label="Sign-in"
                value={grant}
                options={server === null ? GRANTS : [{ value: '', label: 'As it is' }, ...GRANTS.slice(1)]}
                onChange={(event) =>
                  setGrant(GRANTS.find(({ value }) => value === event.currentTarget.value)?.value ?? '')
                }
              />
            )}
            {transport === 'http' && grant !== '' && (
              <div className={styles.pair}>
                <Input
                  label="Client id"
                  hint="Left empty: registered where that is possible."
                  value={clientId}
                  autoComplete="off"
                  onChange={(event) => setClientId(event.currentTarget.value)}
                />
                <Input
                  label="Client secret"
                  type="password"
                  value={clientSecret}
                  autoComplete="new-password"
                  onChange={(event) => setClientSecret(event.currentTarget.value)}
                />
              </div>
            )}
            <Input
              label="Longest time of a call, seconds"
              type="number"
              min={1}
              max={600}
              value={timeoutS}
              fault={fault('timeout_ms')}
              onChange={(event) => setTimeoutS(event.currentTarget.value)}
            />
            <div className={styles.actions}>
              <Button kind="primary" type="submit" busy={save.isPending}>
                {server === null ? 'Register' : 'Save'}
              </Button>
              {server === null && (
                <Button busy={test.isPending} onClick={() => test.mutate({ transport, ...endpoint })}>
                  Try the connection
                </Button>
              )}
            </div>
            <div aria-live="polite">
              {test.error !== null && <ErrorState error={test.error} />}
              {test.data !== undefined && (
                <section
                  className={styles.result}
                  data-error={!test.data.ok || undefined}
                  aria-label="Connection"
                >
                  <StatusPill tone={test.data.ok ? 'good' : 'bad'}>
                    {test.data.ok ? 'it answers' : 'it does not answer'}
                  </StatusPill>
                  {test.data.error !== null && <p>{test.data.error}</p>}
                  {test.data.ok && (
                    <p>
                      {test.data.server_info?.name} {test.data.server_info?.version}, {test.data.tools.length}{' '}
                      tools: {test.data.tools.map((tool) => tool.name).join(', ')}
                    </p>
                  )}
                  {test.data.log.length > 0 && <pre className={styles.code}>{test.data.log.join('\n')}</pre>}
                </section>
              )}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
};
