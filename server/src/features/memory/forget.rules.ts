import { slotOf } from 'pentarch-memory-patterns';
import { readQuery } from './recall.rules.ts';
import type { Held } from './revise.rules.ts';
import { stem, stemsOf, termsOf } from './words.rules.ts';

/** Which statements a request to forget means. Pure. */

/** Likeness of meaning from which a statement is of the topic, and from which it may be. */
const OF_TOPIC = 0.38;
export const MAY_BE = 0.24;

/** Words that speak of the same part of a life, in four languages: who names one means what is kept with another. */
const CONCEPTS: readonly ReadonlySet<string>[] = [
  `medication medicine medicines drug drugs pill pills tablet tablets prescription mg dose inhaler insulin medikament medikamente tabletten médicament médicaments medicamento medicamentos pastillas`,
  `health illness disease condition diagnosis diagnosed symptoms surgery allergic allergy krankheit gesundheit erkrankung maladie santé enfermedad salud`,
  `address street residence lives live adresse anschrift wohne wohnt rue habite dirección calle vivo`,
  `salary earn earns income wage paid gehalt verdiene salaire gagne sueldo salario gano`,
  `ex divorce divorced separated separation scheidung trennung getrennt séparation divorcio`,
  `birthday born geburtstag geboren anniversaire né née cumpleaños nací`,
  `job work works employer role profession beruf arbeit arbeite travail travaille trabajo`,
  `phone mobile telephone telefon handynummer téléphone teléfono`,
].map((words) => new Set(words.split(' ').map(stem)));

export type Meant = 'yes' | 'perhaps' | 'no';

const conceptsMeet = (term: string, document: ReadonlySet<string>): boolean =>
  CONCEPTS.some((concept) => concept.has(term) && [...document].some((word) => concept.has(word)));

/** `likeness` of meaning to the topic, −1–1. */
export const meansStatement = (topic: string, held: Held, likeness: number): Meant => {
  const terms = termsOf(topic);
  const name = held.isSelf ? '' : held.entityName;
  const document = new Set(stemsOf(`${name} ${held.text} ${held.attribute ?? ''}`));
  const slot = slotOf(topic);
  const bySlot =
    held.attribute !== null &&
    slot !== '' &&
    (held.attribute === slot || held.attribute === `${slot} name` || held.attribute.startsWith(`${slot} `));
  const byKind = held.attribute !== null && readQuery(topic).attributes.includes(held.attribute);
  const byConcept =
    terms.length > 0 && terms.every((term) => document.has(term) || conceptsMeet(term, document));
  if (bySlot || byKind || byConcept || (terms.length > 0 && terms.every((term) => document.has(term))))
    return 'yes';
  if (likeness >= OF_TOPIC) return 'yes';
  return likeness >= MAY_BE || (terms.length > 1 && terms.some((term) => document.has(term)))
    ? 'perhaps'
    : 'no';
};
