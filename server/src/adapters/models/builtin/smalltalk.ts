import { bounded } from '../../../kernel/bounded.ts';

/** Pure: what the built-in model says where no document is asked for. It claims no more than it can do. */

const WHAT_I_AM =
  'I am the built-in model: I run without any key or network, and I answer by quoting the passages of your documents that fit the question.';
const HOW_TO_SET =
  'For free conversation, reasoning, calculation and writing, set a language model: for example OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, OLLAMA_BASE_URL for a local one, or COMPATIBLE_BASE_URL for any compatible server; MODEL chooses among them (provider/model). Then restart the server.';

const RULES: [RegExp, string][] = [
  [
    /^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|hallo|guten (?:morgen|tag|abend)|bonjour|salut|hola|ciao)\b[\s\p{L}]{0,20}[!.,]*$/iu,
    `Hello. ${WHAT_I_AM} Upload a document and ask me about it.`,
  ],
  [/^(?:thanks?|thank you|thx|danke|merci|gracias)\b[\s\p{L}]{0,30}[!.]*$/iu, 'You are welcome.'],
  [/^(?:bye|goodbye|see you|tschüss|au revoir|adios)\b[\s\p{L}]{0,20}[!.]*$/iu, 'Goodbye.'],
  [
    /^(?:help|\?|hilfe|(?:please )?help me|what (?:can|could) (?:you|i) (?:do|ask)(?: here| for me| you)?|how (?:do|does|can) (?:you|this|i) (?:work|use (?:you|this))|was kannst du)[?!. ]*$/i,
    `${WHAT_I_AM} I can search your documents and cite what they say, and tell you when they do not say it. I also use tools where a request says clearly what it wants: times and reminders, memory, costs, preferences, the audit trail and others. I cannot reason, calculate, translate or write. ${HOW_TO_SET}`,
  ],
  [
    /^(?:who|what) are you[?!. ]*$|^(?:which|what) (?:language )?model (?:are you|is this|do you use|am i (?:talking|speaking) to)[?!. ]*$|^are you (?:an? )?(?:ai|bot|human|chatgpt|llm|real)\b[^.]{0,20}$|^wer bist du[?!. ]*$/i,
    `${WHAT_I_AM} I am no large language model. ${HOW_TO_SET}`,
  ],
];

/** The patterns are meant for short messages. */
const MAX_UNITS = 120;

const ARITHMETIC = bounded(
  MAX_UNITS,
  /^(?:what(?:'s| is)|calculate|compute|how much is|was ist)?\s*[-(]*\d[\d\s.,]*(?:[-+*/x×÷^%]|plus|minus|times|divided by|mal|durch)\s*[-(]*\d[\d\s.,+*/x×÷^%()-]*[=?. ]*$/i,
);
const CLOCK =
  /^(?:what(?:'s| is)) (?:the )?(?:(?:current )?(?:time|date|day)|today'?s date)(?: (?:is it|today|now|right now))*[?. ]*$|^what (?:time|day|date) is it(?: today| now)?[?. ]*$/i;

/** Null when the message is no small talk, and a question to the documents. */
export function smallTalk(message: string): string | null {
  const text = message.trim();
  if (text.length > MAX_UNITS) return null;
  const rule = RULES.find(([pattern]) => pattern.test(text));
  if (rule) return rule[1];
  if (ARITHMETIC.test(text)) return `I cannot calculate. ${HOW_TO_SET}`;
  if (CLOCK.test(text)) return `I have no clock, so I cannot tell. ${HOW_TO_SET}`;
  return null;
}

/** For a message without passages and without a rule. */
export const cannotConverse = (): string =>
  `I cannot answer this: ${WHAT_I_AM.replace('I am', 'I am only')} ${HOW_TO_SET}`;
