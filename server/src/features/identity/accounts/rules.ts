/**
 * The first line of a mail. Whoever invites chooses the name that stranger is greeted with: what a mail program would show as
 * a link or as lines of their own is left out.
 */
export const greeting = (name: string): string => {
  const said = name.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  return said === '' || /[/\\:@]|\p{L}\.\p{L}/u.test(said) ? 'Hello,' : `Hello ${said},`;
};
