/**
 * Why a text is no address that mail may be sent to, or null. Narrower than RFC 5322 on purpose: no quoted names, no
 * comments, nothing that a mail server could read as two addresses or a header.
 */
export const addressFault = (address: string): string | null => {
  if (/[\s<>(),;:"\\]|[\u0000-\u001f\u007f]/.test(address))
    return 'holds characters that an address may not have';
  const at = address.lastIndexOf('@');
  const name = address.slice(0, at);
  const host = address.slice(at + 1);
  if (at < 1 || name.length > 64 || name.includes('@')) return 'is no e-mail address';
  if (
    !/^(?=.{4,253}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u.test(host)
  ) {
    return 'has no valid host';
  }
  return null;
};

/** What leaves the platform is approved by the Pentarchy first, unless an operator's governance file says otherwise. */
const APPROVED: ReadonlySet<string> = new Set(['send_email', 'send_webhook']);

export const sendingPolicy = (tool: { server: string; name: string }): { approval: 'pentarchy' } | null =>
  tool.server === 'pentarch' && APPROVED.has(tool.name) ? { approval: 'pentarchy' } : null;
