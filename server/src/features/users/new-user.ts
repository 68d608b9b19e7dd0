/** A new account as it is asked for. */
export interface NewUserInput {
  email: string;
  name?: string | undefined;
  password?: string | undefined;
  roles?: readonly string[] | undefined;
  permissions?: readonly string[] | undefined;
  type?: 'person' | 'service' | undefined;
  tier?: string | null | undefined;
  tenant_id?: string | undefined;
}
