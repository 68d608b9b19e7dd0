/** A field of a form as text, trimmed; '' when it is not there. */
export const textOf = (values: FormData, name: string): string => {
  const value = values.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

const DAY_MS = 86_400_000;

/** How long a credential lives, for a select; '' is for ever. */
export const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Until it is deleted' },
] as const;

/** The end of a lifetime of LIFETIMES that begins now; null: never. */
export const expiryOf = (days: string, nowMs: number): string | null =>
  days === '' ? null : new Date(nowMs + Number(days) * DAY_MS).toISOString();

/** Hands the browser a file to save. */
export const saveFile = (name: string, type: string, content: string): void => {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // At once would be before some browsers have begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
