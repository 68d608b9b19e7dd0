/** Keeps secrets unreadable in the store; the identity feature has one. */
export interface SecretBox {
  seal(plain: string): string;
  open(sealed: string): string;
}
