/** What a table says of a stranger's word: `constructor` and the like stand in every plain object, and say nothing. */
export const own = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;
