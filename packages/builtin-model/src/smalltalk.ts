import { bounded } from 'pentarch-prose';

/** Pure: what the built-in model says where no document is asked for. It claims no more than it can do. */

type Language = 'en' | 'de' | 'fr' | 'es';

const SET =
  'OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OLLAMA_BASE_URL, COMPATIBLE_BASE_URL; MODEL=provider/model';

interface Sentences {
  hello: string;
  whatIAm: string;
  whatICan: string;
  tryThis: string;
  howToSet: string;
  welcome: string;
  goodbye: string;
  noSense: string;
  noKnowledge: string;
  cannotCalculate: string;
  noClock: string;
  noted: string;
}

const SENTENCES: Readonly<Record<Language, Sentences>> = {
  en: {
    hello: 'Hello!',
    whatIAm:
      'I am the built-in model of Pentarch. I run without any key or network, and I answer by quoting your documents.',
    whatICan:
      'I can search your documents and quote them with their sources, keep and recall what you tell me, set reminders and scheduled tasks, and show costs, preferences and the audit trail. I cannot reason, calculate, translate or write.',
    tryThis:
      'Try:\n- upload a document and ask about it\n- “Remind me tomorrow at 9 to call the bank”\n- “Remember that my desk is on floor 3”',
    howToSet: `For free conversation and reasoning an operator sets a language model (${SET}).`,
    welcome: 'You are welcome.',
    goodbye: 'Goodbye.',
    noSense: 'I did not understand what to do with this.',
    noKnowledge: 'I know only your documents and what you have told me, and neither answers this.',
    cannotCalculate: 'I cannot calculate.',
    noClock: 'I have no clock, so I cannot tell.',
    noted: 'Noted:',
  },
  de: {
    hello: 'Hallo!',
    whatIAm:
      'Ich bin das eingebaute Modell von Pentarch. Ich laufe ohne Schlüssel und ohne Netz und antworte, indem ich deine Dokumente zitiere.',
    whatICan:
      'Ich kann deine Dokumente durchsuchen und mit Quelle zitieren, mir merken, was du mir sagst, Erinnerungen und geplante Aufgaben anlegen und Kosten, Einstellungen und das Protokoll zeigen. Ich kann nicht schlussfolgern, rechnen, übersetzen oder schreiben.',
    tryThis:
      'Zum Beispiel:\n- lade ein Dokument hoch und frage danach\n- „Remind me tomorrow at 9 to call the bank“\n- „Merke dir, dass mein Schreibtisch im 3. Stock steht“',
    howToSet: `Für freie Gespräche stellt die Administration ein Sprachmodell ein (${SET}).`,
    welcome: 'Gern geschehen.',
    goodbye: 'Auf Wiedersehen.',
    noSense: 'Ich habe nicht verstanden, was ich damit tun soll.',
    noKnowledge:
      'Ich kenne nur deine Dokumente und was du mir gesagt hast, und beides beantwortet das nicht.',
    cannotCalculate: 'Ich kann nicht rechnen.',
    noClock: 'Ich habe keine Uhr und kann es nicht sagen.',
    noted: 'Notiert:',
  },
  fr: {
    hello: 'Bonjour !',
    whatIAm:
      'Je suis le modèle intégré de Pentarch. Je fonctionne sans clé ni réseau et je réponds en citant vos documents.',
    whatICan:
      'Je peux chercher dans vos documents et les citer avec leur source, retenir ce que vous me dites, créer des rappels et des tâches planifiées, et montrer les coûts, les préférences et le journal d’audit. Je ne sais ni raisonner, ni calculer, ni traduire, ni rédiger.',
    tryThis:
      'Essayez :\n- ajoutez un document et posez une question dessus\n- « Remind me tomorrow at 9 to call the bank »\n- « Remember that my desk is on floor 3 »',
    howToSet: `Pour une conversation libre, l’administration configure un modèle de langue (${SET}).`,
    welcome: 'Je vous en prie.',
    goodbye: 'Au revoir.',
    noSense: 'Je n’ai pas compris quoi faire de ce message.',
    noKnowledge:
      'Je ne connais que vos documents et ce que vous m’avez dit, et rien n’y répond à cette question.',
    cannotCalculate: 'Je ne sais pas calculer.',
    noClock: 'Je n’ai pas d’horloge et ne peux pas le dire.',
    noted: 'Noté :',
  },
  es: {
    hello: '¡Hola!',
    whatIAm:
      'Soy el modelo integrado de Pentarch. Funciono sin clave ni red y respondo citando sus documentos.',
    whatICan:
      'Puedo buscar en sus documentos y citarlos con su fuente, recordar lo que me diga, crear recordatorios y tareas programadas, y mostrar costes, preferencias y el registro de auditoría. No sé razonar, calcular, traducir ni redactar.',
    tryThis:
      'Pruebe:\n- suba un documento y pregunte por él\n- «Remind me tomorrow at 9 to call the bank»\n- «Remember that my desk is on floor 3»',
    howToSet: `Para conversar libremente, la administración configura un modelo de lenguaje (${SET}).`,
    welcome: 'De nada.',
    goodbye: 'Adiós.',
    noSense: 'No he entendido qué hacer con esto.',
    noKnowledge: 'Solo conozco sus documentos y lo que me ha dicho, y nada de ello responde a esto.',
    cannotCalculate: 'No sé calcular.',
    noClock: 'No tengo reloj y no puedo decirlo.',
    noted: 'Anotado:',
  },
};

/** The patterns are meant for short messages. */
const MAX_UNITS = 120;

const SIGNS: readonly [Language, RegExp][] = [
  [
    'de',
    /\b(?:ich|du|ist|und|nicht|was|wer|wie|wo|kannst|hallo|guten|danke|dank|vielen|bitte|der|die|das|ein|eine|mein|meine|wir|tschüss|hilfe)\b/giu,
  ],
  [
    'fr',
    /\b(?:je|tu|vous|est|et|que|quoi|qui|peux|pouvez|bonjour|salut|merci|le|la|les|un|une|mon|ma|nous|aide|faire|bonsoir)\b/giu,
  ],
  [
    'es',
    /(?<!\p{L})(?:yo|tú|usted|es|y|qué|quién|puedes|puede|hola|gracias|el|los|las|una?|mi|nosotros|ayuda|hacer|buenos|buenas|adiós)(?!\p{L})/giu,
  ],
  [
    'en',
    /\b(?:i|you|is|and|not|what|who|how|can|hello|hi|thanks|please|the|an?|my|we|help|do|of|to|are)\b/giu,
  ],
];

/** The one of whose small words the message has the most; English where none is ahead. */
export const languageOf = (message: string): Language => {
  let best: Language = 'en';
  let most = 0;
  for (const [language, signs] of [...SIGNS].reverse()) {
    const n = message.slice(0, 500).match(signs)?.length ?? 0;
    if (n > most) [best, most] = [language, n];
  }
  return best;
};

const GREETING =
  /^[¡\s]*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|hallo|moin|servus|guten (?:morgen|tag|abend)|bonjour|bonsoir|salut|hola|buen[oa]s (?:d[ií]as|tardes|noches)|ciao)(?!\p{L})[ \t]*(?:there|zeus|pentarch|everyone|all|team|zusammen|à tous|a todos)?[\s!.,;:…–-]*/iu;
const THANKS =
  /^(?:many thanks|thanks?|thank you|thx|danke(?: schön)?|vielen dank|merci(?: beaucoup)?|(?:muchas )?gracias)(?!\p{L})[\s\p{L},]{0,40}[!.]*$/iu;
const BYE =
  /^(?:bye|good ?bye|see you|good night|tschüss|auf wiedersehen|au revoir|à bientôt|adi[oó]s|hasta luego)(?!\p{L})[\s\p{L},]{0,20}[!.]*$/iu;
/** Asks what there is to be had here. */
export const WHAT_CAN_YOU_DO = bounded(
  MAX_UNITS,
  /^(?:(?:please )?help(?: me)?|\?|hilfe|aide(?:-moi)?|ayuda|what (?:else )?(?:can|could) (?:you|i|this|pentarch|the (?:system|platform|agents)) (?:do|ask|try)(?: \p{L}+){0,4}|what (?:are|is) (?:you|this|pentarch) (?:for|good for|able to do)|what (?:do|does) (?:you|this|pentarch) do|how (?:do|does|can) (?:you|this|it|i|pentarch) (?:work|use (?:you|this|it|pentarch)|start|begin)(?: \p{L}+){0,2}|was (?:kannst|könnt|kann) (?:du|ihr|ich)(?: \p{L}+){0,4}|wie (?:funktioniert das|geht das|fange ich an)(?: \p{L}+){0,2}|que (?:peux|sais|pouvez|savez)[- ](?:tu|vous)(?: \p{L}+){0,4}|qu[’'\s]?est-ce que (?:tu|vous) (?:peux|sais|pouvez|savez)(?: \p{L}+){0,4}|comment (?:ça|cela) (?:marche|fonctionne)|¿?\s?qu[eé] (?:puedes|puede|sabes|sabe)(?: \p{L}+){0,4}|¿?\s?c[oó]mo funciona(?: \p{L}+){0,2})[?!. ]*$/iu,
);
const WHO_ARE_YOU =
  /^(?:who|what) are you[?!. ]*$|^(?:which|what) (?:language )?model (?:are you|is this|do you use|am i (?:talking|speaking) to)[?!. ]*$|^are you (?:an? )?(?:ai|bot|human|chatgpt|llm|real)\b[^.]{0,20}$|^wer bist du[?!. ]*$|^qui (?:es-tu|êtes-vous)[?!. ]*$|^¿?\s?qui[eé]n eres[?!. ]*$/iu;

const ARITHMETIC = bounded(
  MAX_UNITS,
  /^(?:what(?:'s| is)|calculate|compute|how much is|was ist)?\s*[-(]*\d[\d\s.,]*(?:[-+*/x×÷^%]|plus|minus|times|divided by|mal|durch)\s*[-(]*\d[\d\s.,+*/x×÷^%()-]*[=?. ]*$/i,
);
const CLOCK =
  /^(?:what(?:'s| is)) (?:the )?(?:(?:current )?(?:time|date|day)|today'?s date)(?: (?:is it|today|now|right now))*[?. ]*$|^what (?:time|day|date) is it(?: today| now)?[?. ]*$/i;

const QUESTION =
  /\?$|^¿|^(?:what|where|when|who|whom|whose|which|why|how|is|are|do|does|did|can|was|wer|wo|wann|warum|wie|welche|quel|quelle|qui|que|où|quand|pourquoi|comment|qué|quién|dónde|cuándo|cómo)(?!\p{L})/iu;

/** A greeting before a request is no part of it: `Hello! What can you do?`. */
export const withoutGreeting = (message: string): string => message.trim().replace(GREETING, '');

/** Null when the message is no small talk, and a question to the documents. */
export function smallTalk(message: string): string | null {
  const text = message.trim();
  if (text === '' || text.length > MAX_UNITS) return null;
  const say = SENTENCES[languageOf(text)];
  const asked = withoutGreeting(text);
  const hello = asked === text ? '' : `${say.hello} `;
  if (asked === '') return `${hello}${say.whatIAm} ${say.tryThis}`;
  if (WHAT_CAN_YOU_DO.test(asked))
    return `${hello}${say.whatIAm} ${say.whatICan}\n\n${say.tryThis}\n\n${say.howToSet}`;
  if (WHO_ARE_YOU.test(asked)) return `${hello}${say.whatIAm} ${say.howToSet}`;
  if (THANKS.test(asked)) return say.welcome;
  if (BYE.test(asked)) return say.goodbye;
  if (ARITHMETIC.test(asked)) return `${say.cannotCalculate} ${say.howToSet}`;
  if (CLOCK.test(asked)) return `${say.noClock} ${say.howToSet}`;
  return null;
}

/** Greets, says what it is and what there is here, as the platform's tool found it. */
export const tellAbilities = (message: string, found: string): string => {
  const say = SENTENCES[languageOf(message)];
  return `${say.hello} ${say.whatIAm} ${say.whatICan}\n\n${found}\n\n${say.howToSet}`;
};

/** Confirms a statement: the facts that the memory keeps of it. */
export const confirmNoted = (message: string, facts: readonly string[]): string =>
  `${SENTENCES[languageOf(message)].noted} ${facts.join('; ')}`;

/** For a message without passages and without a rule. */
export const cannotConverse = (message: string): string => {
  const say = SENTENCES[languageOf(message)];
  const why = QUESTION.test(message.trim()) ? say.noKnowledge : say.noSense;
  return `${why} ${say.whatIAm} ${say.howToSet}`;
};
