// Over 500 lines: one table, a rule after the other, whose order decides.
import { bounded } from 'pentarch-prose';
import { placesIn } from './cities.ts';
import { factOf } from './pick-fact.ts';
import { WHAT_CAN_YOU_DO } from './smalltalk.ts';
import { clockIn, dateIn, readPeriod, readWhen } from './when.ts';

/** The rules of `pickTool`, in their order: the first that fits decides. */

export interface PickContext {
  /** Epoch ms. */
  now: number;
  /** Time zone of the person; UTC where none is known. */
  zone: string;
}

export interface PickRule {
  /** Name as the model sees it. */
  tool: string;
  of: RegExp;
  /** Arguments; a text = what is missing; null = the rule does not fit after all. */
  args(match: RegExpExecArray, text: string, context: PickContext): Record<string, unknown> | string | null;
  /** An answer from the documents comes before it. */
  weak?: true;
  /** Its text may be long; the pattern looks at the first 200 characters. */
  long?: true;
}

/** What is longer is no request but a text that somebody pasted. */
export const MAX_REQUEST = 1_500;

const AGENT = /\b(zeus|athena|hermes|aegis|chronos|hephaestus|prometheus|iris|memorix|hestia|morpheus)\b/i;
const agentIn = (text: string): string | undefined => AGENT.exec(text)?.[1]?.toLowerCase();

const ROLE = /\b(admin|operator|analyst|user|readonly|read-only)s?\b/i;
const MAIL = bounded(MAX_REQUEST, /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/);
const MAILS = bounded(MAX_REQUEST, /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g);
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i;

const trimmed = (text: string | undefined): string =>
  (text ?? '')
    .trim()
    .replace(/^[“"'„]+|(?<![”"'“])[”"'“]+$/g, '')
    .replace(/(?<![.!?])[.!?]+$/, '')
    .trim();

const withoutStart = (text: string, start: string): string =>
  text.toLowerCase().startsWith(start.toLowerCase()) ? text.slice(start.length) : text;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const taskOf = (what: string, match: string, text: string, { now, zone }: PickContext, remind: boolean) => {
  const when = readWhen(text, now, zone);
  if (when === null) {
    return remind
      ? 'When shall I remind you? Say it with a time, for example “remind me tomorrow at 9 to call the bank”.'
      : null;
  }
  const rest = trimmed(
    withoutStart(when.rest, match)
      .replace(/^[\s,]*(?:(?:to|that|about|of|for)\b\s*)?/i, '')
      .replace(/(?<!\s)\s+(?:to|that|at|on|in|every|by)$/i, ''),
  );
  if (rest === '') return remind ? 'What shall I remind you of?' : null;
  return {
    description: remind ? `${what}${rest}` : capital(rest),
    ...(remind ? { agent_id: 'iris' } : {}),
    ...(when.cron === undefined ? { scheduled_at: when.at } : { cron: when.cron }),
    timezone: zone,
  };
};

const periodArgs = (text: string, { now, zone }: PickContext): Record<string, unknown> => {
  const period = readPeriod(text, now, zone);
  if (period === null) return {};
  return period.name === 'custom'
    ? { period: 'custom', from: period.from, to: period.to }
    : { period: period.name };
};

const windowOf = (text: string, { now, zone }: PickContext): string | undefined => {
  const days = readPeriod(text, now, zone)?.days;
  if (days === undefined) return undefined;
  return days <= 0.05 ? '1h' : days <= 1 ? '24h' : days <= 7 ? '7d' : '30d';
};

const sinceOf = (text: string, { now, zone }: PickContext): string | undefined => {
  const period = readPeriod(text, now, zone);
  return period === null ? undefined : new Date(now - period.days * 86_400_000).toISOString();
};

const divisionOf = (text: string): string | undefined => {
  const by = /\b(?:by|per|each|every|which|what) (agent|model|tool|day|user|person|colleague)s?\b/i
    .exec(text)?.[1]
    ?.toLowerCase();
  return by === 'person' || by === 'colleague' ? 'user' : by;
};

const AGGREGATES: Readonly<Record<string, string>> = {
  average: 'avg',
  mean: 'avg',
  median: 'median',
  sum: 'sum',
  total: 'sum',
  maximum: 'max',
  max: 'max',
  highest: 'max',
  largest: 'max',
  minimum: 'min',
  min: 'min',
  lowest: 'min',
  smallest: 'min',
};

const column = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '');

const PREFERENCE_RULES: readonly [RegExp, string, ((match: RegExpExecArray) => string)?][] = [
  [/\b(?:set|change|switch) (?:my|the) (?:language|answers?) (?:to|into) (\p{L}{3,20})/iu, 'language'],
  [
    /\b(?:answer|reply|respond|speak|talk|write)(?: to)?(?: me)?(?: always| only)? (?:in|auf) (english|german|deutsch|french|spanish|italian|portuguese|dutch|polish|greek|turkish|russian|ukrainian|arabic|chinese|japanese|korean|hindi|swedish|danish|norwegian|finnish|czech)\b/i,
    'language',
  ],
  [/\b(?:set|change|update|switch)? ?(?:my|the) time ?zone (?:to|is) ([\p{L}/_ ]{2,40})/iu, 'time_zone'],
  [
    /\b(?:i(?:'d)? prefer|i(?: would)? like|i want|give me|use|write|keep) (?:(?:your|the|my) )?(?:answers? )?(very short|short|shorter|brief|concise|long|longer|detailed) ?(?:answers?|replies|responses)?(?: (?:from now on|please|always))?[.!]?$/i,
    'answer_length',
  ],
  [/\b(?:use|prefer|switch to|set) (?:the )?(metric|imperial)(?: units| system)?\b/i, 'units'],
  [
    /\b(?:in|use|prefer) an? (formal|informal|friendly|casual|professional|polite|humorous|neutral) (?:tone|style|manner|voice)\b/i,
    'tone',
  ],
  [/\b(?:be|sound) (?:more )?(formal|informal|friendly|casual|professional|polite)\b/i, 'tone'],
  [
    /\b(?:use|prefer|switch (?:my workspace )?to|set|turn on|enable)(?: the)? (dark|light)(?: mode| theme)\b/i,
    'theme',
  ],
  [/\bcall me (\p{Lu}[\p{L}'-]{1,30})\b/u, 'form_of_address'],
  [
    /\b(?:answer|reply|respond|write|use|prefer|give me)(?: me| always| everything)? (?:in |as |with )?(bullet points|tables|numbered lists|plain text)\b/i,
    'format',
  ],
];

const SCAN_ASK = 'Paste the text behind the request, for example “scan this text: …”.';

export const RULES: readonly PickRule[] = [
  {
    tool: 'scan_content',
    of: /^(?:check|scan|examine|inspect|analy[sz]e|test)\b[^:\n]{0,120}\b(?:text|message|mail|e-mail|paragraph|content|snippet|prompt)\b[^:\n]{0,80}(?::|\n)/i,
    long: true,
    args: (match, text) => {
      const body = text.slice(match[0].length).trim();
      return body === '' ? SCAN_ASK : { text: body };
    },
  },
  {
    tool: 'scan_content',
    of: /^(?:check|scan|examine)\b.{0,60}\bfor\b.{0,40}\b(?:injection|secrets?|personal data|passwords?|keys)\b/i,
    args: () => SCAN_ASK,
  },
  {
    tool: 'create_task',
    of: /^(?:set (?:me )?(?:up )?a reminder|remind (?:me|us)|erinnere mich)\b/i,
    args: (match, text, context) => taskOf('Notify me: ', match[0], text, context, true),
  },
  {
    tool: 'create_task',
    of: /^(?:schedule|plan|set up|run|create a task(?: to)?|send me|give me|prepare|make)\b/i,
    args: (match, text, context) =>
      /^(?:schedule|plan|set up|create a task)/i.test(match[0]) ||
      /\b(?:every|each|daily|weekly|monthly|hourly|nightly)\b/i.test(text)
        ? taskOf(
            '',
            /^(?:schedule|set up|create a task)/i.test(match[0]) ? match[0] : '',
            text,
            context,
            false,
          )
        : null,
  },
  {
    tool: 'cancel_task',
    of: /^(?:cancel|stop|delete|remove)\b.{0,40}\b(?:task|reminder|job)\b/i,
    args: (_match, text) => {
      const id = UUID.exec(text)?.[0];
      return id === undefined
        ? 'Which one? Ask “list my tasks” and say “cancel task” with its id.'
        : { task_id: id };
    },
  },
  {
    tool: 'list_tasks',
    of: bounded(
      MAX_REQUEST,
      /\b(?:list|show|what|which|see|have i|are there)\b.{0,40}\b(?:tasks?|reminders?|schedules?|scheduled)\b/i,
    ),
    args: () => ({}),
  },
  {
    tool: 'time__convert_time',
    of: /\b(?:time|when|is it|in)\b/i,
    args: (_match, text, { now }) => {
      const clock = clockIn(text);
      const places = placesIn(text);
      const [first, second] = places;
      if (clock === null || first === undefined || second === undefined) return null;
      // The place right behind the clock time is where it is that time.
      const source = places.find((place) => place.at > clock.at) ?? first;
      const target = source === first ? second : first;
      const two = (n: number): string => String(n).padStart(2, '0');
      return {
        time: `${dateIn(now, source.zone)}T${two(Math.floor(clock.minutes / 60))}:${two(clock.minutes % 60)}`,
        source_timezone: source.zone,
        target_timezone: target.zone,
      };
    },
  },
  {
    tool: 'time__get_current_time',
    of: /\b(?:what(?:'s| is)? (?:the )?(?:current |local )?(?:time|date|day)|what time|which day|current time|time (?:is it )?(?:now )?in|what day|how late is it|wie sp[äa]t|wieviel uhr|today's date)\b/i,
    args: (_match, text, { zone }) => {
      const [place] = placesIn(text);
      if (place !== undefined) return { timezone: place.zone };
      return /\b(?:time|date|day) (?:is it|now|today)|is (?:the |it )?(?:current )?(?:time|date|day)|what time is it|^(?:the )?current time|today's date|sp[äa]t|uhr\b/i.test(
        text,
      )
        ? { timezone: zone }
        : null;
    },
  },
  {
    tool: 'query_table',
    of: bounded(
      MAX_REQUEST,
      /\b(average|mean|median|sum|total|maximum|max|highest|largest|minimum|min|lowest|smallest)\b(?: (?:of|value(?: of| in)?))?(?: the)?(?: column)? [“"'`]?([\p{L}\p{N}_ -]{1,40}?)[”"'`]?(?: column)?(?: (?:by|per|for each) (?:the )?[“"'`]?([\p{L}\p{N}_ -]{1,40}?)[”"'`]?)? (?:in|from|of) (?:the )?(?:table |file |spreadsheet |document )?[“"'`]?([\p{L}\p{N}_ .-]{1,80}?\.(?:csv|xlsx|tsv))\b/iu,
    ),
    args: ([, how, what, by, file]) => {
      const aggregate = AGGREGATES[how?.toLowerCase() ?? ''];
      if (aggregate === undefined || what === undefined || file === undefined) return null;
      const value = `${aggregate}("${column(what)}") as ${aggregate}`;
      return {
        document: file.trim(),
        sql:
          by === undefined
            ? `select ${value} from data`
            : `select "${column(by)}", ${value} from data group by 1 order by 2 desc`,
      };
    },
  },
  {
    tool: 'query_table',
    of: bounded(
      MAX_REQUEST,
      /\b(?:show|analy[sz]e|describe|open|what is in|columns of|preview|look at|summari[sz]e)\b.{0,60}?[“"'`]?([\p{L}\p{N}_.-]{1,80}\.(?:csv|xlsx|tsv))\b/iu,
    ),
    args: ([, file]) => ({ document: file }),
  },
  {
    tool: 'query_costs',
    of: bounded(
      MAX_REQUEST,
      /\b(?:budget|limits?)\b.{0,40}\b(?:left|remaining|used|reached|remain)\b|\b(?:how much|what)\b.{0,30}\b(?:budget|limit)\b|\b(?:show|list|what are)\b.{0,20}\b(?:budgets?|(?:cost|spending) limits?)\b/i,
    ),
    args: (_match, text, context) => ({ ...periodArgs(text, context), limits: true }),
  },
  {
    tool: 'query_costs',
    of: /\b(?:costs?|spend|spent|spending|expenses|expensive|expense|token usage|tokens|kosten|ausgegeben)\b/i,
    args: (_match, text, context) => {
      if (
        !/\b(?:how|show|what|which|list|forecast|compare|who|wie|costs? (?:by|per|of)|spending|give)\b/i.test(
          text,
        )
      )
        return null;
      if (/\b(?:we|you|it|company|organi[sz]ation) (?:sell|charge|pay (?:him|her|them))\b/i.test(text))
        return null;
      return {
        ...periodArgs(text, context),
        by: divisionOf(text),
        ...(/\bmy\b|\bi\b/i.test(text) && !/\bwe\b|\bour\b/i.test(text) ? { scope: 'me' } : {}),
      };
    },
  },
  {
    tool: 'query_metrics',
    of: /\b(?:latency|success rate|failure rate|response times?|performance|metrics|how many (?:requests|runs)|busiest|fastest|slowest|error rate)\b/i,
    args: (_match, text, context) =>
      AGENT.test(text) || /\b(?:agents?|metrics|requests|runs|latency|rate|times?)\b/i.test(text)
        ? { agent_id: agentIn(text), window: windowOf(text, context) }
        : null,
  },
  {
    tool: 'list_mcp_servers',
    of: /\bmcp\b.{0,40}\b(?:servers?|status|health|connected|connections?)\b|\b(?:which|what|list|show|are)\b.{0,30}\bservers\b.{0,40}(?:\b(?:connected|running|registered|available|up|down|healthy|there)\b|[?.]?$)|\bis the ([\w-]{1,40}) server (?:connected|up|healthy|running|down)\b/i,
    args: () => ({}),
  },
  {
    tool: 'list_permissions',
    of: /\b(?:permissions?|rights|allowed|access|may|roles?)\b/i,
    args: (_match, text) => {
      const mail = MAIL.exec(text)?.[0];
      const role = ROLE.exec(text)?.[1]?.toLowerCase().replace('read-only', 'readonly');
      if (mail !== undefined) return { user: mail };
      if (
        /\b(?:my|mine)\b.{0,20}\b(?:permissions?|rights|roles?|access)\b|\bwhat (?:may|can|am) i\b.{0,20}(?:\bdo\b|\ballowed\b)/i.test(
          text,
        )
      )
        return { user: 'me' };
      if (
        role !== undefined &&
        /\b(?:role|permissions?|rights|may|allowed|can)\b/i.test(text) &&
        /\b(?:what|which|list|show)\b/i.test(text)
      )
        return { role };
      return bounded(
        MAX_REQUEST,
        /\b(?:what|which|list|show|explain)\b.{0,30}\b(?:roles|permissions)\b/i,
      ).test(text)
        ? {}
        : null;
    },
  },
  {
    tool: 'read_audit',
    of: /\b(?:failed|refused|wrong|unsuccessful)\b.{0,20}\b(?:log-?ins?|sign-?ins?|log-?ons?|attempts?|passwords?)\b|\b(?:log-?ins?|sign-?ins?)\b.{0,20}\b(?:failed|refused)\b/i,
    args: (_match, text, context) => ({
      action: 'session',
      outcome: 'refused',
      from: sinceOf(text, context),
    }),
  },
  {
    tool: 'read_audit',
    of: bounded(
      MAX_REQUEST,
      /\b(?:audit|log of (?:events|changes))\b|\b(?:who|anybody|anyone|somebody|someone)\b.{0,30}\b(?:changed|deleted|created|deactivated|signed in|logged in|removed)\b|\b(?:show|list|last|recent)\b.{0,30}\b(?:log-?ins?|sign-?ins?|security events)\b|\bsuspicious activit/i,
    ),
    args: (_match, text, context) => {
      const action = /\blog-?ins?|sign-?ins?|signed in|logged in\b/i.test(text)
        ? 'session'
        : /\busers?\b|\baccounts?\b/i.test(text)
          ? 'user'
          : /\blimits?\b/i.test(text)
            ? 'costs'
            : /\b(?:api )?keys?\b|\btokens?\b/i.test(text)
              ? 'token'
              : undefined;
      return {
        action,
        ...(/\bsuspicious|refused|denied\b/i.test(text) ? { outcome: 'refused' } : {}),
        from: sinceOf(text, context),
      };
    },
  },
  {
    tool: 'notify',
    of: /^notify me: (.{1,500})$/is,
    args: ([, what]) => {
      const text = capital(trimmed(what));
      return { title: text.slice(0, 100).toWellFormed(), ...(text.length > 100 ? { body: text } : {}) };
    },
  },
  {
    tool: 'list_notifications',
    of: bounded(
      MAX_REQUEST,
      /\b(?:show|list|any|what|which|have|read|see|are)\b.{0,30}\b(?:notifications?|alerts)\b|^(?:my )?(?:unread )?notifications\b/i,
    ),
    args: (_match, text) => (/\bunread|new\b/i.test(text) ? { unread: true } : {}),
  },
  {
    tool: 'suggest_instruction',
    of: /\b(?:suggest|propose)\b.{0,40}\b(?:instructions?|improvements?|prompts?|change)\b.{0,20}\bfor\b[^:]{0,30}:\s*(.{5,500})$/is,
    args: ([, instruction], text) => {
      const agent = agentIn(text);
      return agent === undefined
        ? 'For which agent is the suggestion?'
        : { agent_id: agent, instruction: instruction?.trim() };
    },
  },
  {
    tool: 'suggest_instruction',
    of: bounded(MAX_REQUEST, /\b(?:teach|train)\b (?:the )?(\w{3,12}) to (.{5,400})$/is),
    args: ([, name, what]) => {
      const agent = agentIn(name ?? '');
      return agent === undefined
        ? 'Which agent shall learn it? Name one, for example “teach Athena to answer in bullet points”.'
        : { agent_id: agent, instruction: `${capital(trimmed(what))}.` };
    },
  },
  {
    tool: 'list_feedback',
    of: /\b(?:feedback|ratings?|rated|thumbs|dislikes?|complaints? about (?:the )?(?:answers|agents?|assistant))\b/i,
    args: (_match, text, context) => {
      const days = readPeriod(text, context.now, context.zone)?.days;
      return {
        agent_id: agentIn(text),
        ...(/\b(?:bad|badly|negative|poor|poorly|worst|down|dislikes?|disliked|complain)/i.test(text)
          ? { rating: 'down' }
          : /\b(?:positive|best|praise|up|well)\b/i.test(text)
            ? { rating: 'up' }
            : {}),
        ...(days === undefined ? {} : { days: Math.max(1, Math.ceil(days)) }),
      };
    },
  },
  {
    tool: 'set_preference',
    of: /\S/,
    args: (_match, text) => {
      for (const [of, name] of PREFERENCE_RULES) {
        const value = trimmed(of.exec(text)?.[1]);
        if (value !== '')
          return {
            name,
            value: name === 'language' ? capital(value) : name === 'time_zone' ? zoneOf(value) : value,
          };
      }
      return null;
    },
  },
  {
    tool: 'get_preferences',
    of: /\b(?:my|the) (?:preferences|settings)\b|\bwhat\b.{0,20}\bi prefer\b|\bpreferences\b.{0,20}\b(?:set|stored|kept)\b/i,
    args: (_match, text) =>
      /^(?:show|what|which|list|see|display|are)\b|\bmy preferences\b/i.test(text) ? {} : null,
  },
  {
    tool: 'get_profile',
    of: /\bmy (?:profile|account)\b|^who am i\b|\bwhat(?:'s| is) my (?:name|e-?mail|role)\b/i,
    args: (_match, text) =>
      /^(?:show|what|who|see|display|open|view)\b|^my profile/i.test(text) ? {} : null,
  },
  {
    tool: 'correct_fact',
    of: bounded(
      500,
      /^(?:correct|fix)\b.{0,200}?\b(?:is|=|to be|are|was)\s+(.{1,80}?),?\s+(?:and )?not\s+(.{1,80}?)[.!]?$/i,
    ),
    args: ([, right, wrong]) => ({ wrong: trimmed(wrong), right: trimmed(right) }),
  },
  {
    tool: 'forget',
    of: bounded(
      MAX_REQUEST,
      /^(?:forget|delete from memory|vergiss)\b(?: everything| all| what i (?:told|said)(?: to)?(?: you)?| that| what you know)*(?: about)? (.{2,150})$/i,
    ),
    args: ([, topic]) => ({ topic: trimmed(topic) }),
  },
  {
    tool: 'remember_fact',
    of: /^(?:remember|note|keep in mind|don't forget|do not forget|merke? dir|memori[sz]e|please note)\b(?: down)?[,:]?(?: that| dass)? (.{3,500})$/is,
    args: ([, said]) => factOf(trimmed(said)),
  },
  {
    tool: 'memory_graph',
    of: bounded(
      MAX_REQUEST,
      /\bhow (?:are|is) (.{2,80}?) (?:and|to|with) (.{2,80}?) (?:connected|related|linked|tied)\b|\bhow (?:are|is) (.{2,80}?) (?:connected|related|linked|tied) (?:to|with)\b/i,
    ),
    args: ([, first, , third]) => ({ entity: trimmed(first ?? third), depth: 2 }),
  },
  {
    tool: 'list_abilities',
    of: WHAT_CAN_YOU_DO,
    args: () => ({}),
  },
  {
    tool: 'recall',
    of: bounded(
      MAX_REQUEST,
      /\b(?:what|do|did|can|anything)\b.{0,30}\b(?:know|remember|recall|told you|tell you|said|remembered|stored)\b(?: (?:about|of|on|regarding))? ?(.{0,200})$/i,
    ),
    weak: true,
    args: ([, topic], text) => {
      const about = trimmed(topic).replace(/^(?:about|of|the name of) /i, '');
      return {
        query: about === '' || /^(?:me|myself|us)$/i.test(about) ? `about me: ${text}`.slice(0, 300) : about,
      };
    },
  },
  {
    tool: 'send_email',
    of: /^send\b.{0,30}\b(?:e-?mail|mail|message)\b/i,
    args: (_match, text) => mailOf(text, 'send'),
  },
  {
    tool: 'draft_email',
    of: /^(?:draft|write|compose|prepare)\b.{0,30}\b(?:e-?mail|mail)\b/i,
    args: (_match, text) => mailOf(text, 'draft'),
  },
  {
    tool: 'list_documents',
    of: /^(?:list|show)\b.{0,20}\bdocuments\b|\b(?:which|what) documents (?:are there|do (?:we|i|you) have|exist)\b/i,
    args: () => ({}),
  },
  {
    tool: 'search_documents',
    of: /^(?:search|look|find)\b.{0,30}\b(?:documents|knowledge base|files)\b.{0,20}?\b(?:for|about|on) (.{2,300})$/i,
    weak: true,
    args: ([, query]) => ({ query: trimmed(query) }),
  },
];

const zoneOf = (value: string): string => placesIn(value)[0]?.zone ?? value;

const mailOf = (text: string, how: 'send' | 'draft'): Record<string, unknown> | string => {
  const to = [...new Set(text.match(MAILS) ?? [])];
  const subject = bounded(
    MAX_REQUEST,
    /\bsubject[:\s]+[“"']?(.{1,200}?)(?:[”"']|,|;|\n|\.\s| and (?:the )?(?:text|body))/is,
  ).exec(`${text}\n`)?.[1];
  const body = bounded(
    MAX_REQUEST,
    /\b(?:text|body|saying|message)(?:\s*[:“"]|\s+(?:that|is)\b)\s*[“"']?([\s\S]{1,5000}?)[”"']?\s*$/i,
  ).exec(text)?.[1];
  if (to.length === 0 || subject === undefined || body === undefined) {
    return `I cannot write the text myself. Say it as: “${how} an e-mail to name@example.org, subject: …, text: …”.`;
  }
  return { to, subject: trimmed(subject), body: body.trim() };
};
