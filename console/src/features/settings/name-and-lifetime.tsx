import { Input, Select } from '../../components/field.tsx';
import { expiryOf, LIFETIMES, textOf } from '../../lib/text.ts';

interface NameAndLifetimeProps {
  fault: (field: string) => string | undefined;
  placeholder: string;
  /** One of LIFETIMES. */
  days: (typeof LIFETIMES)[number]['value'];
}

/** What every new credential is asked for. */
export const NameAndLifetime = ({ fault, placeholder, days }: NameAndLifetimeProps) => (
  <>
    <Input label="Name" name="name" placeholder={placeholder} fault={fault('name')} />
    <Select
      label="Expires after"
      name="days"
      options={LIFETIMES}
      defaultValue={days}
      fault={fault('expires_at')}
    />
  </>
);

export const nameAndLifetimeOf = (values: FormData): { name: string; expires_at: string | null } => ({
  name: textOf(values, 'name'),
  expires_at: expiryOf(textOf(values, 'days'), Date.now()),
});
