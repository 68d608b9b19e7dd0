/** Keeps secrets unreadable in the store, each bound to the place that `about` names; the identity feature has one. */
export interface PushSecretBox {
  seal(plain: string, about: string): string;
  open(sealed: string, about: string): string;
}

/** What the secrets of a configuration belong to. */
export const aboutPushSecrets = (row: { tenant_id: string; id: string }): string =>
  `a2a_push_configs.secrets/${row.tenant_id}/${row.id}`;

/** What a client is to know its notifications by. */
export interface PushSecrets {
  token: string;
  credentials: string;
}

const NONE: PushSecrets = { token: '', credentials: '' };

/** Null where there is nothing to keep. */
export const sealedSecrets = (
  box: PushSecretBox,
  row: { tenant_id: string; id: string },
  secrets: PushSecrets,
): string | null =>
  secrets.token === '' && secrets.credentials === ''
    ? null
    : box.seal(JSON.stringify(secrets), aboutPushSecrets(row));

export const openSecrets = (
  box: PushSecretBox,
  row: { tenant_id: string; id: string; secrets: string | null },
): PushSecrets =>
  row.secrets === null
    ? NONE
    : { ...NONE, ...(JSON.parse(box.open(row.secrets, aboutPushSecrets(row))) as Partial<PushSecrets>) };
