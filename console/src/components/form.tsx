import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { faultOf, fieldFaults } from '../lib/errors.ts';
import styles from './field.module.css';

interface FormProps {
  /** Of the mutation that saves it; the form shows what it says, the fields what is theirs. */
  error: unknown;
  /** Names of the fields on the form: a fault of any other is shown at the top. */
  fields: readonly string[];
  onSubmit: (values: FormData) => void;
  children: (fault: (field: string) => string | undefined) => ReactNode;
  id?: string;
}

const NOTHING = { since: null, names: [] };

/**
 * A form whose faults come from the API: a 422 names its fields, and each is shown at its own input until that is edited.
 *
 * <Form error={save.error} fields={['name']} onSubmit={(v) => save.mutate({ name: String(v.get('name')) })}>
 *   {(fault) => <Input label="Name" name="name" fault={fault('name')} />}
 * </Form>
 */
export const Form = ({ error, fields, onSubmit, children, id }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  const [edited, setEdited] = useState<{ since: unknown; names: readonly string[] }>(NOTHING);
  const since = edited.since === error ? edited.names : [];
  const faults = fieldFaults(error);
  const edit = ({ target }: FormEvent): void => {
    const name = 'name' in target ? target.name : '';
    if (typeof name === 'string' && name in faults && !since.includes(name))
      setEdited({ since: error, names: [...since, name] });
  };
  const elsewhere = Object.entries(faults).filter(([name]) => !fields.includes(name));
  const fault = error === null || error === undefined ? null : faultOf(error);
  const showsTop = fault !== null && (elsewhere.length > 0 || Object.keys(faults).length === 0);
  return (
    <form
      ref={form}
      id={id}
      className={styles.form}
      noValidate
      onInput={edit}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      {showsTop && (
        <div role="alert" className={styles.formFault}>
          {elsewhere.length > 0
            ? elsewhere.map(([name, reason]) => `${name} ${reason}`).join('; ')
            : `${fault.title}: ${fault.message}`}
        </div>
      )}
      {children((name) => (since.includes(name) ? undefined : faults[name]))}
    </form>
  );
};
