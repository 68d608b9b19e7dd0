/** Keeps secrets unreadable in the store, each bound to the place that `about` names; the identity feature has one. */
export interface WebhookSecretBox {
  seal(plain: string, about: string): string;
  open(sealed: string, about: string): string;
}

/** What the secrets of a webhook belong to. One place for both, since the present one becomes the previous one as it is. */
export const aboutWebhookSecret = (row: { tenant_id: string; id: string }): string =>
  `webhooks.secret/${row.tenant_id}/${row.id}`;
