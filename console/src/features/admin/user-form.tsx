import type { CreatedUser, User } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Input, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { textOf } from '../../lib/text.ts';
import styles from './admin.module.css';
import { useCreateUser } from './queries.ts';
import { ABOUT, ROLES, type Role } from './roles.ts';
import { oneOf } from './state.ts';

export const TIERS: readonly User['tier'][] = ['free', 'pro', 'enterprise'];
const FORM = 'new-user';

interface RoleChoiceProps {
  value: readonly Role[];
  disabled?: boolean;
  onChange: (roles: Role[]) => void;
}
export const RoleChoice = ({ value, disabled = false, onChange }: RoleChoiceProps) => (
  <fieldset className={styles.choices}>
    <legend>Roles</legend>
    {ROLES.map((role) => (
      <Checkbox
        key={role}
        label={role}
        hint={ABOUT[role]}
        disabled={disabled}
        checked={value.includes(role)}
        onChange={(on) => onChange(ROLES.filter((one) => (one === role ? on : value.includes(one))))}
      />
    ))}
  </fieldset>
);

interface UserFormProps {
  onClose: () => void;
  onMade: (user: CreatedUser) => void;
}

export const UserForm = ({ onClose, onMade }: UserFormProps) => {
  const create = useCreateUser();
  const [roles, setRoles] = useState<Role[]>(['user']);
  const [type, setType] = useState<User['type']>('person');
  return (
    <Dialog
      open
      onClose={onClose}
      title="New user"
      description={
        type === 'person'
          ? 'Without a password they get a link with which they set one.'
          : 'A service account signs in with a machine key, which you make next.'
      }
      actions={
        <Button type="submit" form={FORM} kind="primary" busy={create.isPending}>
          Create user
        </Button>
      }
    >
      <Form
        id={FORM}
        error={create.error}
        fields={['email', 'name', 'password', 'roles', 'tier']}
        onSubmit={(values) => {
          const password = String(values.get('password') ?? '');
          const tier = oneOf(TIERS, textOf(values, 'tier'));
          create.mutate(
            {
              email: textOf(values, 'email'),
              name: textOf(values, 'name'),
              type,
              roles,
              ...(tier !== undefined && { tier }),
              ...(password !== '' && { password }),
            },
            { onSuccess: onMade },
          );
        }}
      >
        {(fault) => (
          <>
            <Select
              label="Kind"
              value={type}
              options={[
                { value: 'person', label: 'Person' },
                { value: 'service', label: 'Service account' },
              ]}
              onChange={(event) => setType(event.target.value === 'service' ? 'service' : 'person')}
            />
            <Input label="E-mail" name="email" type="email" autoComplete="off" fault={fault('email')} />
            <Input label="Name" name="name" autoComplete="off" fault={fault('name')} />
            {type === 'person' && (
              <Input
                label="Password"
                name="password"
                type="password"
                autoComplete="new-password"
                hint="Leave it empty to invite."
                fault={fault('password')}
              />
            )}
            <Select
              label="Tier"
              name="tier"
              options={[
                { value: '', label: 'As the organisation' },
                ...TIERS.map((value) => ({ value, label: value })),
              ]}
              fault={fault('tier')}
            />
            <RoleChoice value={roles} onChange={setRoles} />
            {fault('roles') !== undefined && <p role="alert">{`roles ${fault('roles')}`}</p>}
          </>
        )}
      </Form>
    </Dialog>
  );
};
