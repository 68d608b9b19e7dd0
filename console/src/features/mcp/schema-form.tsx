import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Input, Select, Textarea } from '../../components/field.tsx';
import styles from './mcp.module.css';
import { type Field, keyOf, type Property, withKey } from './schema.ts';

interface FieldProps {
  field: Field;
  label: string;
  required: boolean;
  value: unknown;
  /** undefined: left out. */
  onChange: (value: unknown) => void;
  /** What the server said of the value at this path. */
  faultAt: (path: string) => string | undefined;
  path: string;
}

/** Text of a value that is edited as JSON; what cannot be read yet stays in the field, and is not handed on. */
export const JsonField = ({
  label,
  hint,
  value,
  fault,
  onChange,
}: {
  label: string;
  hint?: string | undefined;
  value: unknown;
  fault?: string | undefined;
  onChange: (value: unknown) => void;
}) => {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [wrong, setWrong] = useState(false);
  return (
    <Textarea
      label={label}
      hint={hint}
      className={styles.jsonField}
      spellCheck={false}
      rows={6}
      value={text}
      fault={wrong ? 'is not valid JSON yet; the previous value is kept' : fault}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setText(next);
        if (next.trim() === '') {
          setWrong(false);
          onChange(undefined);
          return;
        }
        try {
          const parsed: unknown = JSON.parse(next);
          setWrong(false);
          onChange(parsed);
        } catch {
          setWrong(true);
        }
      }}
    />
  );
};

const asText = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

const ListField = (props: FieldProps & { field: Extract<Field, { kind: 'list' }> }) => {
  const { field, label, value, onChange, path, faultAt } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  // Rows keep their key while those before them go.
  const [keys, setKeys] = useState<readonly number[]>(() => items.map((_, index) => index));
  const [nextKey, setNextKey] = useState(items.length);
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {field.description !== '' && <p className={styles.hint}>{field.description}</p>}
      {items.map((item, index) => (
        <div key={keys[index] ?? `late-${index}`} className={styles.listRow}>
          <SchemaField
            field={field.item}
            label={`${label} ${index + 1}`}
            required
            value={item}
            onChange={(next) => onChange(items.map((one, at) => (at === index ? (next ?? '') : one)))}
            faultAt={faultAt}
            path={`${path}.${index}`}
          />
          <IconButton
            label={`Remove ${label} ${index + 1}`}
            icon={<X size={14} />}
            onClick={() => {
              setKeys(keys.filter((_, at) => at !== index));
              onChange(items.filter((_, at) => at !== index));
            }}
          />
        </div>
      ))}
      {faultAt(path) !== undefined && <p className={styles.fault}>{faultAt(path)}</p>}
      <div>
        <Button
          onClick={() => {
            setKeys([...keys, nextKey]);
            setNextKey(nextKey + 1);
            onChange([...items, field.initial ?? '']);
          }}
        >
          <Plus size={14} aria-hidden="true" /> Add to {label}
        </Button>
      </div>
    </fieldset>
  );
};

const SchemaField = (props: FieldProps) => {
  const { field, label, required, value, onChange, faultAt, path } = props;
  const shared = {
    label: required ? label : `${label} (optional)`,
    hint: field.description === '' ? undefined : field.description,
    fault: faultAt(path),
  };
  switch (field.kind) {
    case 'text':
      return field.long ? (
        <Textarea
          {...shared}
          rows={3}
          value={asText(value)}
          onChange={({ currentTarget: { value: next } }) =>
            onChange(next === '' && !required ? undefined : next)
          }
        />
      ) : (
        <Input
          {...shared}
          autoComplete="off"
          value={asText(value)}
          onChange={({ currentTarget: { value: next } }) =>
            onChange(next === '' && !required ? undefined : next)
          }
        />
      );
    case 'number':
      return (
        <Input
          {...shared}
          type="number"
          step={field.whole ? 1 : 'any'}
          min={field.min}
          max={field.max}
          value={asText(value)}
          onChange={({ currentTarget: { value: next } }) => onChange(next === '' ? undefined : Number(next))}
        />
      );
    case 'boolean':
      return (
        <Select
          {...shared}
          value={asText(value)}
          options={[
            ...(required ? [] : [{ value: '', label: 'Left out' }]),
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
          onChange={({ currentTarget: { value: next } }) =>
            onChange(next === '' ? undefined : next === 'true')
          }
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          value={asText(value)}
          options={[
            ...(required ? [] : [{ value: '', label: 'Left out' }]),
            ...field.options.map((one) => ({ value: String(one), label: String(one) })),
          ]}
          onChange={({ currentTarget: { value: next } }) =>
            onChange(field.options.find((one) => String(one) === next))
          }
        />
      );
    case 'list':
      return <ListField {...props} field={field} label={shared.label} />;
    case 'object':
      return (
        <fieldset className={styles.group}>
          <legend>{shared.label}</legend>
          {shared.hint !== undefined && <p className={styles.hint}>{shared.hint}</p>}
          <SchemaFields
            properties={field.properties}
            value={value}
            onChange={onChange}
            faultAt={faultAt}
            path={path}
          />
        </fieldset>
      );
    case 'json':
      return <JsonField {...shared} value={value} onChange={onChange} />;
  }
};

interface SchemaFieldsProps {
  properties: readonly Property[];
  value: unknown;
  onChange: (value: Record<string, unknown>) => void;
  faultAt: (path: string) => string | undefined;
  path: string;
}

/** Fields of an object; what is left empty and need not be given is left out of the value. */
export const SchemaFields = ({ properties, value, onChange, faultAt, path }: SchemaFieldsProps) =>
  properties.map(({ name, required, field }) => (
    <SchemaField
      key={name}
      field={field}
      label={field.title}
      required={required}
      value={keyOf(value, name)}
      onChange={(next) => onChange(withKey(value, name, next))}
      faultAt={faultAt}
      path={`${path}.${name}`}
    />
  ));
