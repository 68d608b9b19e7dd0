import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { ChatEvent, ChatStream, Citation, Proposal } from 'pentarch-sdk';
import type { Context } from '../context.ts';
import { CliError, type ExitCode, failureOf, usage } from '../errors.ts';
import { type Lines, openLines, readAll } from '../prompt.ts';
import { flagOption, listOption, type Shell, textOption } from '../shell.ts';
import { oneLine } from '../text.ts';

/**
 * Talking with the agents. The answer and its sources go to standard output, what happens on the way (who answers, tools,
 * proposals, cost) to standard error.
 */

interface Talk {
  readonly context: Context;
  readonly agent: string | null;
  readonly model: string | null;
  /** The message that the first question follows. */
  readonly after: string | null;
  /** Documents that the first question is about. */
  readonly attached: readonly string[];
  /** Pictures that are shown with the first question. */
  readonly images: readonly { image: string; name: string }[];
  /** What was said so far in a chat that is stored nowhere, and grows with it; null: it is stored. */
  readonly temporary: Said[] | null;
  readonly events: boolean;
  /** Questions can be asked; null where nobody sits there. */
  readonly lines: Lines | null;
  /** The caller has governance:vote. */
  readonly mayVote: () => Promise<boolean>;
}

interface Said {
  role: 'user' | 'assistant';
  content: string;
}

interface Told {
  readonly conversationId: string | null;
  readonly exitCode: ExitCode;
  readonly answer: string;
}

const citationLine = ({ title, page, quote }: Citation, n: number): string => {
  const where = page === null ? '' : `, p. ${page}`;
  const text = oneLine(quote);
  return `[${n + 1}] ${oneLine(title)}${where}: “${text.length > 160 ? `${text.slice(0, 159)}…` : text}”`;
};

const proposalText = ({ action, estimated_cost: cost, risk, reason }: Proposal): string =>
  `${oneLine(action)} (${cost} USD, risk ${risk}${reason === null ? '' : `; ${oneLine(reason)}`})`;

/** How who may decide does so outside of this conversation. */
const howToDecide = ({ id, asks_requester: asks }: Pick<Proposal, 'id' | 'asks_requester'>): string =>
  asks
    ? `pentarch proposals confirm ${id} --approve|--no-approve`
    : `pentarch proposals vote ${id} approve|reject`;

/** Asks for a decision until the proposal is decided elsewhere: for an answer where it asks the person themselves, else for a vote. */
const askToDecide = async (talk: Talk, proposal: Proposal, decided: AbortSignal): Promise<void> => {
  const { context, lines } = talk;
  const { out, client } = context;
  const { id, tool, asks_requester: asks } = proposal;
  if (asks && tool !== null) out.note(`  the call: ${tool.name} ${oneLine(JSON.stringify(tool.arguments))}`);
  if (asks) out.note('  text from outside may have led to it: approve it only if it does what you want');
  if (lines === null || !(asks || (await talk.mayVote()))) {
    out.note(`  decide with: ${howToDecide(proposal)}`);
    return;
  }
  const line = await lines.next('  approve? [y]es [n]o, anything else leaves it open: ', decided);
  const answer = line?.trim().toLowerCase() ?? '';
  const approve = /^y(es)?$/.test(answer) ? true : /^no?$/.test(answer) ? false : null;
  if (approve === null) return;
  try {
    const after = asks
      ? await client.governance.confirmProposal(id, { approve })
      : await client.governance.voteOnProposal(id, { vote: approve ? 'approve' : 'reject' });
    out.note(`  ${approve ? 'approved' : 'rejected'} by you: ${after.status}`);
  } catch (error) {
    out.note(`  ${asks ? 'the answer' : 'the vote'} was not taken: ${failureOf(error).message}`);
  }
};

const FINISHES: Readonly<Record<string, ExitCode>> = { stop: 0, length: 0, cancelled: 130 };

/** Follows one answer to its end. Ctrl-C cancels the run at the server; a second one leaves it. */
const follow = async (talk: Talk, start: (signal: AbortSignal) => ChatStream): Promise<Told> => {
  const { out, client, runtime } = talk.context;
  const leave = new AbortController();
  const votes = new Map<string, AbortController>();
  const asked: Promise<void>[] = [];
  let runId: string | null = null;
  let conversationId: string | null = null;
  let interrupts = 0;
  let agent = '';
  let open = false;
  let exitCode: ExitCode = 0;
  let answered = '';

  const forget = runtime.onInterrupt(() => {
    interrupts += 1;
    for (const waiting of votes.values()) waiting.abort();
    if (runId === null || interrupts > 1) return leave.abort();
    out.note('\ncancelling …');
    client.chat.cancelRun(runId, { maxRetries: 0 }).catch(() => leave.abort());
  });

  const breakLine = (): void => {
    if (open && !out.json) out.raw('\n');
    open = false;
  };
  const note = (text: string): void => {
    breakLine();
    out.note(out.dim(text));
  };

  const propose = (proposal: Proposal): void => {
    breakLine();
    out.note(`${out.warn('proposal')} ${proposalText(proposal)}: ${proposal.status}`);
    const known = votes.get(proposal.id);
    const decided = proposal.status !== 'voting' && proposal.status !== 'awaiting_human';
    if (decided) return known?.abort();
    if (known !== undefined) return;
    const waiting = new AbortController();
    votes.set(proposal.id, waiting);
    asked.push(askToDecide(talk, proposal, waiting.signal));
  };

  const tell = (event: ChatEvent): void => {
    switch (event.event) {
      case 'run.started':
        runId = event.data.run_id;
        conversationId = event.data.conversation_id;
        return;
      case 'agent.selected': {
        const changed = agent !== '' && agent !== event.data.agent_id;
        agent = event.data.agent_id;
        return note(`${changed ? '→ handed to' : '·'} ${agent}: ${oneLine(event.data.reason)}`);
      }
      case 'message.delta':
        if (!out.json) out.text(event.data.content);
        open = !event.data.content.endsWith('\n');
        return;
      case 'tool.started':
        return note(
          `⚙ ${event.data.server}.${event.data.name} ${oneLine(JSON.stringify(event.data.arguments))}`,
        );
      case 'tool.completed': {
        const { server, name, status, error, duration_ms: durationMs } = event.data;
        return note(
          `⚙ ${server}.${name} ${status} in ${durationMs} ms${error === null ? '' : `: ${oneLine(error)}`}`,
        );
      }
      case 'proposal.created':
      case 'proposal.decided':
        return propose(event.data);
      case 'message.completed': {
        const answer = event.data;
        answered = answer.content;
        breakLine();
        exitCode = FINISHES[answer.finish_reason] ?? 14;
        if (out.json) return talk.events ? undefined : out.record(answer);
        if (answer.citations.length > 0) out.line('');
        for (const [n, citation] of answer.citations.entries()) out.line(citationLine(citation, n));
        if (answer.finish_reason !== 'stop')
          out.note(out.warn(`ended: ${answer.finish_reason.replaceAll('_', ' ')}`));
        out.note(
          out.dim(
            `${answer.agent_id} · ${answer.cost_usd} USD · ${talk.temporary === null ? `conversation ${answer.conversation_id}` : 'stored nowhere'}`,
          ),
        );
        return;
      }
    }
  };

  try {
    for await (const event of start(leave.signal)) {
      if (talk.events) out.raw(`${JSON.stringify(event)}\n`);
      tell(event);
    }
  } finally {
    forget();
    for (const waiting of votes.values()) waiting.abort();
    await Promise.allSettled(asked);
    breakLine();
  }
  return { conversationId, exitCode, answer: answered };
};

const ask = async (talk: Talk, message: string, conversationId: string | null): Promise<Told> => {
  const { temporary } = talk;
  const context = {
    ...(talk.agent === null ? {} : { agent_id: talk.agent }),
    ...(talk.model === null ? {} : { model: talk.model }),
  };
  const body = {
    message,
    ...(conversationId === null || temporary !== null ? {} : { conversation_id: conversationId }),
    ...(temporary === null ? {} : { store: false }),
    ...(temporary === null || temporary.length === 0 ? {} : { history: temporary }),
    ...(talk.after === null ? {} : { parent_message_id: talk.after }),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...(talk.attached.length + talk.images.length === 0
      ? {}
      : { attachments: [...talk.attached.map((id) => ({ document_id: id })), ...talk.images] }),
  };
  const told = await follow(talk, (signal) => talk.context.client.chat.stream(body, { signal }));
  if (told.answer !== '')
    temporary?.push({ role: 'user', content: message }, { role: 'assistant', content: told.answer });
  return told;
};

const REPL_HELP = `/new            a new conversation
/agent NAME     address one agent; without a name, none in particular
/resume ID      go on with another conversation
/history        what was said
/quit           leave (also Ctrl-D)`;

const history = async ({ client, out }: Context, conversationId: string): Promise<void> => {
  for await (const { role, agent_id: agentId, content } of client.conversations.listMessagesAll(
    conversationId,
  )) {
    out.line(out.bold(role === 'user' ? 'you' : (agentId ?? role)));
    out.text(`${content}\n\n`);
  }
};

const talkOn = async (first: Talk, lines: Lines, given: string | null): Promise<ExitCode> => {
  const { out } = first.context;
  let talk = first;
  let conversationId = given;
  out.note('Ask away; /help shows what else there is.');
  for (;;) {
    const line = await lines.next(out.bold('> '));
    if (line === null) return 0;
    const [word = '', ...rest] = line.trim().split(/\s+/);
    if (word === '') continue;
    try {
      if (word === '/quit' || word === '/exit') return 0;
      if (word === '/help') out.note(REPL_HELP);
      else if (word === '/new') {
        conversationId = null;
        talk = {
          ...talk,
          after: null,
          attached: [],
          images: [],
          temporary: talk.temporary === null ? null : [],
        };
      } else if (word === '/agent') talk = { ...talk, agent: rest[0] ?? null };
      else if (word === '/resume' && rest[0] !== undefined && talk.temporary === null)
        conversationId = rest[0];
      else if (word === '/history' && conversationId !== null && talk.temporary === null)
        await history(talk.context, conversationId);
      else if (word.startsWith('/')) out.note(`no such command; ${REPL_HELP}`);
      else {
        conversationId = (await ask(talk, line, conversationId)).conversationId ?? conversationId;
        talk = { ...talk, after: null, attached: [], images: [] };
      }
    } catch (error) {
      // One failed question does not end the talk.
      const failure = failureOf(error);
      out.failure(failure);
      if (failure.exitCode === 3) return 3;
    }
  }
};

const lastConversation = async ({ client }: Context): Promise<string> => {
  const page = await client.conversations.list({ limit: 1, status: 'active' });
  const [newest] = page.items;
  if (newest === undefined) throw new CliError('there is no conversation to go on with', 5);
  return newest.id;
};

const permitted = ({ client }: Context): (() => Promise<boolean>) => {
  let known: Promise<boolean> | null = null;
  return () => {
    known ??= client.auth
      .getMe()
      .then(({ permissions }) => permissions.includes('governance:vote'))
      .catch(() => false);
    return known;
  };
};

const readImage = async (file: string): Promise<Talk['images'][number]> => {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw usage(`--image: ${file} cannot be read: ${error instanceof Error ? error.message : ''}`);
  });
  return { image: bytes.toString('base64'), name: path.basename(file) };
};

const CONVERSATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const chatCommand = (shell: Shell): Command => {
  const command = new Command('chat')
    .description('Ask the agents: one question, or a talk when none is given')
    .argument('[message...]', 'the question; "-" or a pipe reads it from standard input')
    .option('--agent <id>', 'address one agent')
    .option('--model <model>', 'a configured model, such as openai/gpt-5-mini')
    .option('--resume [conversation-id]', 'go on with a conversation; without an id, with the newest')
    .option('--after <message-id>', 'with --resume: the message to go on behind, in a branch of its own')
    .option('--attach <document-id...>', 'documents that the question is about')
    .option('--image <file...>', 'pictures that are shown with the question: PNG, JPEG, WebP or GIF')
    .option('--temporary', 'stored nowhere: neither listed nor remembered, and gone with the answer')
    .option('--follow <run-id>', 'follow a run that is under way')
    .option('-i, --interactive', 'go on reading questions, also from a pipe')
    .option('--events', 'every event as a line of JSON')
    .action(async () => {
      const plain = shell.open(command);
      const events = flagOption(command, 'events');
      const context = events ? { ...plain, out: { ...plain.out, json: true, note: () => {} } } : plain;
      const { runtime } = context;
      const given: unknown = command.opts().resume;
      // "--resume" may stand alone in front of the question, which then looks like its value.
      const asked = typeof given === 'string' && !CONVERSATION_ID.test(given);
      if (asked && command.args.length > 0) throw usage(`--resume: ${given} is no conversation id`);
      const resume = asked ? true : given;
      const words = asked ? given : command.args.join(' ');
      const terminal = runtime.stdin.isTTY === true;
      const interactive = flagOption(command, 'interactive') || (words === '' && terminal);
      if (interactive && (events || context.out.json)) throw usage('a talk has no --json and no --events');
      const conversationId =
        typeof resume === 'string' ? resume : resume === true ? await lastConversation(context) : null;
      const after = textOption(command, 'after') ?? null;
      if (after !== null && conversationId === null)
        throw usage('--after names a message of a conversation: --resume says of which');
      const temporary = flagOption(command, 'temporary');
      if (temporary && conversationId !== null)
        throw usage('--temporary goes on with no stored conversation: leave --resume out');
      const lines =
        interactive || (terminal && words !== '-') ? openLines(runtime, () => runtime.interrupt()) : null;
      const talk: Talk = {
        context,
        agent: textOption(command, 'agent') ?? null,
        model: textOption(command, 'model') ?? null,
        after,
        attached: listOption(command, 'attach'),
        images: await Promise.all(listOption(command, 'image').map(readImage)),
        temporary: temporary ? [] : null,
        events,
        lines,
        mayVote: permitted(context),
      };
      try {
        const run = textOption(command, 'follow');
        if (run !== undefined) {
          const told = await follow(talk, (signal) => context.client.chat.followRun(run, { signal }));
          return runtime.exit(told.exitCode);
        }
        if (interactive && lines !== null) {
          let id = conversationId;
          if (words !== '') id = (await ask(talk, words, id)).conversationId;
          // Only the first question begins a branch; the others follow it.
          const further = words === '' ? talk : { ...talk, after: null, attached: [] };
          return runtime.exit(await talkOn(further, lines, id));
        }
        const message = words === '' || words === '-' ? (await readAll(runtime)).trim() : words;
        if (message === '')
          throw usage('nothing was asked', `pentarch chat "…", or a question on standard input`);
        runtime.exit((await ask(talk, message, conversationId)).exitCode);
      } finally {
        lines?.close();
      }
    });
  return shell.finish(command, [
    'chat "How many leave days does a first assistant have?"',
    'chat --agent chronos --resume "And next week?"',
    'chat --resume ID --after MESSAGE_ID "And what if it rains?"',
    'chat "What does it say about notice?" --attach DOCUMENT_ID',
    'chat --temporary "Which leave may a carer take?"',
    'git diff | pentarch chat -',
    'chat "Sum up the week" --json',
    'chat',
  ]);
};
