import { Building2 } from 'lucide-react';
import type { Tenant } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Input, Select } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Panel, StatusPill } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { textOf } from '../../lib/text.ts';
import styles from './admin.module.css';
import { useCreateTenant, useTenants, useUpdateTenant } from './queries.ts';
import { oneOf, useAdminState } from './state.ts';
import { TIERS } from './user-form.tsx';

const FORM = 'tenant';

interface TenantFormProps {
  /** undefined: a new one. */
  tenant: Tenant | undefined;
  onClose: () => void;
  onLink: (url: string) => void;
}

const TenantForm = ({ tenant, onClose, onLink }: TenantFormProps) => {
  const create = useCreateTenant();
  const update = useUpdateTenant(tenant?.id ?? '');
  const toast = useToast();
  const save = (values: FormData): void => {
    const body = {
      name: textOf(values, 'name'),
      slug: textOf(values, 'slug'),
      tier: oneOf(TIERS, textOf(values, 'tier')) ?? 'free',
    };
    if (tenant !== undefined) {
      const status = textOf(values, 'status') === 'suspended' ? 'suspended' : 'active';
      update.mutate(
        { ...body, ...(status !== tenant.status && { status }) },
        {
          onSuccess: () => {
            toast.done(`${body.name} is changed`);
            onClose();
          },
        },
      );
      return;
    }
    const email = textOf(values, 'email');
    create.mutate(
      { ...body, ...(email !== '' && { admin: { email } }) },
      {
        onSuccess: (made) => {
          toast.done(`${made.name} is made`);
          onClose();
          if (made.admin?.invitation_url !== undefined) onLink(made.admin.invitation_url);
        },
      },
    );
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={tenant === undefined ? 'New tenant' : tenant.name}
      actions={
        <Button type="submit" form={FORM} kind="primary" busy={create.isPending || update.isPending}>
          {tenant === undefined ? 'Create tenant' : 'Save'}
        </Button>
      }
    >
      <Form
        id={FORM}
        error={tenant === undefined ? create.error : update.error}
        fields={['name', 'slug', 'tier', 'status', 'admin.email']}
        onSubmit={save}
      >
        {(fault) => (
          <>
            <Input label="Name" name="name" defaultValue={tenant?.name} fault={fault('name')} />
            <Input
              label="Slug"
              name="slug"
              defaultValue={tenant?.slug}
              hint="Small letters, digits and dashes."
              fault={fault('slug')}
            />
            <Select
              label="Tier"
              name="tier"
              defaultValue={tenant?.tier ?? 'free'}
              options={TIERS.map((value) => ({ value, label: value }))}
              fault={fault('tier')}
            />
            {tenant === undefined ? (
              <Input
                label="E-mail of the first admin"
                name="email"
                type="email"
                hint="They get an invitation link. May be left empty."
                fault={fault('admin.email')}
              />
            ) : (
              <Select
                label="Status"
                name="status"
                defaultValue={tenant.status}
                options={[
                  { value: 'active', label: 'active' },
                  { value: 'suspended', label: 'suspended: nobody in it can sign in' },
                ]}
                fault={fault('status')}
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
};

export const Tenants = () => {
  const rows = useTenants();
  const [state, setState] = useAdminState();
  const [asking, setAsking] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const open = rows.data?.find((one) => one.id === state.open);
  return (
    <>
      <Panel
        flush
        title="Tenants"
        actions={
          <Button kind="primary" onClick={() => setAsking(true)}>
            New tenant
          </Button>
        }
      >
        <DataTable
          caption="Tenants"
          rows={rows}
          rowKey={(row) => row.id}
          onOpen={(row) => setState({ open: row.id })}
          columns={[
            {
              id: 'name',
              header: 'Name',
              sortBy: (row) => row.name,
              cell: (row) => (
                <>
                  {row.name}
                  <span className={styles.sub}>{row.slug}</span>
                </>
              ),
            },
            { id: 'tier', header: 'Tier', sortBy: (row) => row.tier, cell: (row) => row.tier },
            {
              id: 'status',
              header: 'Status',
              cell: (row) => (
                <StatusPill tone={row.status === 'active' ? 'good' : 'bad'}>{row.status}</StatusPill>
              ),
            },
            {
              id: 'created',
              header: 'Created',
              numeric: true,
              minor: true,
              cell: (row) => <RelativeTime iso={row.created_at} />,
            },
          ]}
          empty={
            <EmptyState icon={Building2} title="No tenants">
              Make one for each organisation that shares this server.
            </EmptyState>
          }
        />
      </Panel>
      {(asking || open !== undefined) && (
        <TenantForm
          key={open?.id ?? 'new'}
          tenant={asking ? undefined : open}
          onLink={setLink}
          onClose={() => {
            setAsking(false);
            setState({ open: undefined });
          }}
        />
      )}
      <SecretOnce
        secret={link}
        title="Invitation of the first admin"
        about="Hand it to the person: with it they set their password. It works once, for seven days, and is shown only now."
        label="Link"
        onClose={() => setLink(null)}
      />
    </>
  );
};
