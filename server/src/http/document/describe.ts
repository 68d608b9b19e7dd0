import type { AnyRoute } from '../route.ts';

/** What the document says of an operation beside its own words: what is true of it by its declaration. */

const accessText = ({ access }: AnyRoute): string => {
  if (access === 'public') return 'Asks for no token.';
  return access === 'signed-in' ? 'Asks for any valid token.' : `Asks for the permission \`${access}\`.`;
};

const auditText = ({ audit }: AnyRoute): string => {
  if (audit === undefined) return '';
  const { action } = audit;
  const names = typeof action === 'string' ? [action] : [action.plain, action.asked];
  return `A success is a row of the audit chain: ${names.map((name) => `\`${name}\``).join(' or ')}.`;
};

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export const describeRoute = (route: AnyRoute): string =>
  [
    route.description === undefined ? '' : asSentence(route.description),
    accessText(route),
    auditText(route),
    route.deprecated === undefined ? '' : `Deprecated; served until ${route.deprecated.sunset.slice(0, 10)}.`,
  ]
    .filter((text) => text !== '')
    .join(' ');
