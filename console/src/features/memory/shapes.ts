import type { MemoryEntity, MemoryGraph, Observation } from 'pentarch-sdk';

/** Pure parts of the memory page. */

/** What control and direction characters could make of a drawn name: a name is data, and one line of it. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g;
const LABEL_CHARACTERS = 32;

/** A name as the canvas draws it. */
export const labelOf = (name: string): string => {
  const characters = [...name.replaceAll(UNSEEN, ' ').trim()];
  return characters.length <= LABEL_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, LABEL_CHARACTERS - 1).join('')}…`;
};

/** How many hues tells types apart (`--kind-1` … of tokens.css); the rest share the neutral one. */
export const HUES = 7;

export interface TypeCount {
  readonly type: string;
  readonly count: number;
  /** 1 to HUES; 0: the neutral one. */
  readonly hue: number;
}

/** Types of the entities, the most frequent first, each with its hue. Equal counts stand by name, so that hues stay. */
export const typesOf = (entities: readonly Pick<MemoryEntity, 'entity_type'>[]): TypeCount[] =>
  [...Map.groupBy(entities, (one) => one.entity_type)]
    .map(([type, all]) => ({ type, count: all.length }))
    .toSorted((a, b) => b.count - a.count || a.type.localeCompare(b.type))
    .map((one, index) => ({ ...one, hue: index < HUES ? index + 1 : 0 }));

export const holds = (fact: Observation): boolean => fact.valid_to === null;

const fold = (text: string): string => text.normalize('NFC').toLowerCase();

/** Ids of the entities that a search means, by name and by what holds of them; null: no search, so all. */
export const matchesOf = (graph: MemoryGraph, q: string, type: string): ReadonlySet<string> | null => {
  const wanted = fold(q.trim());
  if (wanted === '' && type === '') return null;
  return new Set(
    graph.entities
      .filter(
        (one) =>
          (type === '' || fold(one.entity_type) === fold(type)) &&
          (wanted === '' ||
            fold(one.name).includes(wanted) ||
            one.observations.some((fact) => fold(fact.text).includes(wanted))),
      )
      .map((one) => one.id),
  );
};

/** A property as its owner typed it: JSON where it is that, else text. */
export const typedValue = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
};
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' && typedValue(value) === value ? value : JSON.stringify(value);

/** `works_at` as people read it. */
export const words = (type: string): string => type.replaceAll('_', ' ');
