import { useRef } from 'react';
import { Button } from '../../components/button.tsx';
import { Input } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Badge, Panel, Segments } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay, useMe } from '../../lib/me.ts';
import { textOf } from '../../lib/text.ts';
import { setTheme, type Theme, useTheme } from '../../lib/theme.ts';
import { useChangePassword, useRename } from './queries.ts';
import styles from './settings.module.css';

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

const Account = () => {
  const me = useMe();
  const mayWrite = useMay('profile:write');
  const rename = useRename();
  const toast = useToast();
  return (
    <Panel title="Account">
      <dl className={styles.facts}>
        <dt>E-mail</dt>
        <dd>{me.email}</dd>
        <dt>Roles</dt>
        <dd>
          {me.roles.map((role) => (
            <Badge key={role}>{role}</Badge>
          ))}{' '}
          {me.platform_admin && <Badge tone="accent">platform administrator</Badge>}
        </dd>
        <dt>Tier</dt>
        <dd>{me.tier}</dd>
      </dl>
      <Form
        error={rename.error}
        fields={['name']}
        onSubmit={(values) =>
          rename.mutate(textOf(values, 'name'), { onSuccess: () => toast.done('Your name is changed') })
        }
      >
        {(fault) => (
          <>
            <Input
              label="Name"
              name="name"
              autoComplete="name"
              defaultValue={me.name}
              disabled={!mayWrite}
              hint={mayWrite ? 'As others see you.' : 'Your role may not change it; ask an admin.'}
              fault={fault('name')}
            />
            {mayWrite && (
              <div className={styles.actions}>
                <Button type="submit" kind="primary" busy={rename.isPending}>
                  Save name
                </Button>
              </div>
            )}
          </>
        )}
      </Form>
    </Panel>
  );
};

const Password = () => {
  const change = useChangePassword();
  const toast = useToast();
  const holder = useRef<HTMLDivElement>(null);
  return (
    <Panel title="Password">
      <div ref={holder}>
        <Form
          error={change.error}
          fields={['current_password', 'new_password']}
          onSubmit={(values) =>
            change.mutate(
              {
                // Not trimmed: spaces at the ends belong to a password.
                current_password: String(values.get('current_password') ?? ''),
                new_password: String(values.get('new_password') ?? ''),
              },
              {
                onSuccess: () => {
                  holder.current?.querySelector('form')?.reset();
                  toast.done('Your password is changed; other sessions have ended');
                },
              },
            )
          }
        >
          {(fault) => (
            <>
              <Input
                label="Current password"
                name="current_password"
                type="password"
                autoComplete="current-password"
                fault={fault('current_password')}
              />
              <Input
                label="New password"
                name="new_password"
                type="password"
                autoComplete="new-password"
                hint="All your other sessions end with the change."
                fault={fault('new_password')}
              />
              <div className={styles.actions}>
                <Button type="submit" busy={change.isPending}>
                  Change password
                </Button>
              </div>
            </>
          )}
        </Form>
      </div>
    </Panel>
  );
};

export const Profile = () => {
  const theme = useTheme();
  return (
    <div className={styles.narrow}>
      <Account />
      <Password />
      <Panel title="Theme">
        <Segments label="Theme" value={theme} options={THEMES} onChange={setTheme} />
      </Panel>
    </div>
  );
};
