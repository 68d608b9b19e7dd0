/** What governance weighs of an action, as people choose it. */
export const RISKS = [
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
  { value: 'critical', label: 'Critical' },
] as const;
export const FLAGS = [
  { value: 'security', label: 'Security' },
  { value: 'legal', label: 'Legal' },
  { value: 'irreversible', label: 'Cannot be undone' },
  { value: 'personal_data', label: 'Personal data' },
] as const;
export type Flag = (typeof FLAGS)[number]['value'];
