import type { ImportMcpServersRequest } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toast.tsx';
import { useServerActions } from './queries.ts';
import { JsonField } from './schema-form.tsx';

const isImport = (value: unknown): value is ImportMcpServersRequest =>
  typeof value === 'object' &&
  value !== null &&
  'mcpServers' in value &&
  typeof value.mcpServers === 'object' &&
  value.mcpServers !== null;

/** Servers in the form that MCP clients share; the server checks the rest of it. */
export const ImportDialog = ({ onClose }: { onClose: () => void }) => {
  const { importAll } = useServerActions();
  const toast = useToast();
  const [value, setValue] = useState<unknown>(undefined);
  const ready = isImport(value);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Import servers"
      description="Paste the configuration of another MCP client. All servers are checked before the first is registered."
    >
      <Form
        error={importAll.error}
        fields={[]}
        onSubmit={() => {
          if (!ready) return;
          importAll.mutate(value, {
            onSuccess: ({ items }) => {
              toast.done(
                items.length === 1 ? 'One server is registered' : `${items.length} servers are registered`,
              );
              onClose();
            },
          });
        }}
      >
        {() => (
          <>
            <JsonField
              label="Configuration"
              hint='{ "mcpServers": { "name": { "url": "…" } } }'
              value={undefined}
              fault={value === undefined || ready ? undefined : 'must be an object with mcpServers'}
              onChange={setValue}
            />
            <div>
              <Button kind="primary" type="submit" disabled={!ready} busy={importAll.isPending}>
                Import
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
};
