import { bounded, PIECE, pieces } from 'pentarch-prose';

const MAX_CHARACTERS = 50_000;

const ADDRESS = bounded(PIECE, /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g);

/** E-mail addresses and hosts that the texts name: whom the action reaches. */
export const audienceIn = (texts: readonly string[]): string[] => {
  const found = new Set<string>();
  for (const text of texts) {
    for (const part of pieces(text.slice(0, MAX_CHARACTERS)))
      for (const [address] of part.text.matchAll(ADDRESS)) found.add(address.toLowerCase());
    for (const [, host] of text.slice(0, MAX_CHARACTERS).matchAll(/\bhttps?:\/\/([^\s/:?#"'<>@]{1,253})/gi)) {
      if (host !== undefined) found.add(host.toLowerCase());
    }
  }
  return [...found];
};
