import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { Check } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** From the form: what is wrong with it. */
  fault?: string | undefined;
}

interface Wiring {
  id: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

const Field = ({
  label,
  hint,
  fault,
  children,
}: FieldProps & { children: (wiring: Wiring) => ReactNode }) => {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({ id, 'aria-invalid': fault ? true : undefined, 'aria-describedby': described || undefined })}
      {hint && (
        <span className={styles.hint} id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault && (
        <span className={styles.fault} id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </div>
  );
};

export const Input = ({ label, hint, fault, ...rest }: FieldProps & ComponentProps<'input'>) => (
  <Field label={label} hint={hint} fault={fault}>
    {(wiring) => <input className={styles.control} {...rest} {...wiring} />}
  </Field>
);

export const Textarea = ({ label, hint, fault, ...rest }: FieldProps & ComponentProps<'textarea'>) => (
  <Field label={label} hint={hint} fault={fault}>
    {(wiring) => <textarea className={styles.control} {...rest} {...wiring} />}
  </Field>
);

/** The platform's own select: the best there is on a phone, and no script of ours. */
export const Select = ({
  label,
  hint,
  fault,
  options,
  ...rest
}: FieldProps & { options: readonly { value: string; label: string }[] } & ComponentProps<'select'>) => (
  <Field label={label} hint={hint} fault={fault}>
    {(wiring) => (
      <select className={styles.control} {...rest} {...wiring}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface ToggleProps {
  label: string;
  hint?: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}

const ToggleRow = ({ label, hint, id, children }: ToggleProps & { id: string; children: ReactNode }) => (
  <div className={styles.row}>
    {children}
    <div className={styles.rowText}>
      <span className={styles.label} id={`${id}-label`}>
        {label}
      </span>
      {hint && <span className={styles.hint}>{hint}</span>}
    </div>
  </div>
);

/** Takes effect at once; a Checkbox takes effect with its form. */
export const Switch = (props: ToggleProps) => {
  const id = useId();
  return (
    <ToggleRow {...props} id={id}>
      <BaseSwitch.Root
        className={styles.switch}
        checked={props.checked}
        disabled={props.disabled ?? false}
        onCheckedChange={props.onChange}
        aria-labelledby={`${id}-label`}
      >
        <BaseSwitch.Thumb className={styles.thumb} />
      </BaseSwitch.Root>
    </ToggleRow>
  );
};

export const Checkbox = (props: ToggleProps) => {
  const id = useId();
  return (
    <ToggleRow {...props} id={id}>
      <BaseCheckbox.Root
        className={styles.checkbox}
        checked={props.checked}
        disabled={props.disabled ?? false}
        onCheckedChange={props.onChange}
        aria-labelledby={`${id}-label`}
      >
        <BaseCheckbox.Indicator render={<Check size={12} strokeWidth={3} />} />
      </BaseCheckbox.Root>
    </ToggleRow>
  );
};
