import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { req } from '../requirements.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider, type TestRequest } from '../support/provider.ts';

/** Approvals where they come up, in the chat: seats fill as votes come in, a veto ends it, a person decides. */

let app: ConsoleUnderTest;
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    files: {
      GOVERNANCE_FILE: {
        policies: {
          time: {
            tools: { convert_time: { approval: 'pentarchy' }, get_current_time: { approval: 'human' } },
          },
        },
      },
    },
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      COMPATIBLE_API_KEY: 'x',
      MCP_BUILTIN: 'on',
      MCP_ALLOW_STDIO: `*: ${process.execPath} **`,
    },
  });
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});

const CONVERT = { source_timezone: 'Europe/Berlin', time: '12:00', target_timezone: 'Asia/Tokyo' };
interface Ballot {
  vote: 'approve' | 'reject' | 'abstain';
  reason: string;
  veto_reason: string | null;
}

const seatOf = (request: TestRequest): string | null => {
  if (request.body.response_format === undefined) return null;
  const system = request.body.messages?.find(({ role }) => role === 'system')?.content;
  return String(system).match(/You hold the seat "(\w+)"/)?.[1] ?? null;
};

/** Each seat's vote is held until the test casts it. */
const holdVotes = (tool: { name: string; args: Record<string, unknown> }) => {
  const cast = new Map<string, (ballot: Ballot) => void>();
  const waiting = new Map(
    ['athena', 'hermes', 'aegis', 'hephaestus', 'prometheus'].map((seat) => [
      seat,
      new Promise<Ballot>((resolve) => cast.set(seat, resolve)),
    ]),
  );
  provider.reset();
  provider.always((request) => {
    const seat = seatOf(request);
    const ballot = seat === null ? undefined : waiting.get(seat);
    if (ballot !== undefined) {
      let text = '';
      const hold = ballot.then((vote) => {
        text = JSON.stringify({ confidence: 0.9, ...vote });
      });
      return {
        hold,
        // Asked for when the hold is over.
        get chunks() {
          return [text];
        },
      };
    }
    if (request.body.messages?.at(-1)?.role === 'tool') return { chunks: ['It is evening in Tokyo.'] };
    return { toolCalls: [{ id: 'c', name: `time__${tool.name}`, arguments: JSON.stringify(tool.args) }] };
  });
  return (seat: string, ballot: Partial<Ballot>): void =>
    cast.get(seat)?.({ vote: 'approve', reason: `Reason of ${seat}.`, veto_reason: null, ...ballot });
};

it('fills the seats live in the chat, and goes on when three have approved', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open();
  await page.waitForURL('**/chat');
  const cast = holdVotes({ name: 'convert_time', args: CONVERT });
  await page.getByLabel('Message', { exact: true }).fill('/hephaestus What time is noon of Berlin in Tokyo?');
  await page.keyboard.press('Enter');
  const card = page.getByRole('region', { name: /^Approval: / });
  await card.getByText('The five are voting').waitFor();
  const seat = (name: string, vote: string) => card.locator(`[data-seat="${name}"][data-vote="${vote}"]`);
  await expect.poll(() => card.locator('[data-seat][data-vote="empty"]').count()).toBe(5);
  // Theirs to see, not to decide: they asked for it.
  await card.getByText('You asked for this yourself: somebody else must decide.').waitFor();
  expect(await axe()).toEqual([]);
  // One after another, as they are cast.
  const order = ['hermes', 'athena', 'aegis', 'prometheus'];
  for (const [i, name] of order.entries()) {
    const vote = name === 'hermes' ? 'reject' : 'approve';
    cast(name, { vote });
    await seat(name, vote).waitFor();
    expect(await card.locator('[data-seat][data-vote="empty"]').count()).toBe(4 - i);
    if (name === 'athena') await screenshot('chat-approval-voting');
  }
  await card.getByText('The five are voting').waitFor();
  cast('hephaestus', {});
  await seat('hephaestus', 'approve').waitFor();
  await card.getByText('Approved', { exact: true }).waitFor();
  expect(await card.locator('[data-seat][data-vote="empty"]').count()).toBe(0);
  await screenshot('chat-approval');
  await page.getByText('It is evening in Tokyo.').waitFor();
  // What was decided stands where it came up: before the words that were said after it.
  const answer = page.getByRole('article').last();
  await expect
    .poll(async () => {
      const text = (await answer.textContent()) ?? '';
      return text.indexOf('Approved') > 0 && text.indexOf('Approved') < text.indexOf('It is evening');
    })
    .toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

it.each(['desktop', 'phone'] as const)('shows a veto of AEGIS beyond doubt, %s', async (device) => {
  const { page, axe, complaints, screenshot, context } = await app.open({ device });
  await page.waitForURL('**/chat');
  const cast = holdVotes({
    name: 'convert_time',
    args: { ...CONVERT, time: device === 'phone' ? '13:00' : '14:00' },
  });
  await page.getByLabel('Message', { exact: true }).fill('/hephaestus And at another time?');
  await page.getByRole('button', { name: 'Send' }).click();
  const card = page.getByRole('region', { name: /^Approval: / });
  await card.getByText('The five are voting').waitFor();
  cast('aegis', { vote: 'reject', reason: 'It would leave the house.', veto_reason: 'data_breach' });
  await card.getByText('Vetoed by AEGIS').first().waitFor();
  await card.locator('[data-seat="aegis"][data-vote="veto"]').waitFor();
  await card.getByText('VETO', { exact: true }).waitFor();
  await card.getByText('It would leave the house.').first().waitFor();
  expect(await card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  expect(await axe()).toEqual([]);
  await screenshot(device === 'phone' ? 'chat-veto-phone' : 'chat-veto');
  for (const seat of ['athena', 'hermes', 'hephaestus', 'prometheus']) cast(seat, {});
  expect(complaints).toEqual([]);
  await context.close();
});

it('goes on in the chat of one person when another approves', async () => {
  const admin = await app.server.signIn();
  const member = { email: 'member@example.com', password: 'a long enough password' };
  expect((await admin.post('/v2/users', { ...member, name: 'Mia Member', roles: ['user'] })).status).toBe(
    201,
  );
  holdVotes({ name: 'get_current_time', args: { timezone: 'Asia/Tokyo' } });
  const theirs = await app.open({ as: member });
  await theirs.page.waitForURL('**/chat');
  await theirs.page.getByLabel('Message', { exact: true }).fill('/hephaestus What time is it in Tokyo?');
  await theirs.page.keyboard.press('Enter');
  const card = theirs.page.getByRole('region', { name: /^Approval: / });
  await card.getByText('A person must decide').waitFor();
  expect(await card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  // Who decides, until when, and on what.
  await card.getByText(/governance:vote decides, except the person who asked\. It expires \S+/).waitFor();
  await card.getByRole('region', { name: 'Tool call' }).getByText('"timezone": "Asia/Tokyo"').waitFor();

  const { page, complaints, context } = await app.open({ path: '/governance' });
  await page.getByRole('row').filter({ hasText: 'get_current_time' }).click();
  const drawer = page.getByRole('dialog');
  // Names, not ids.
  await drawer.getByText('Mia Member').waitFor();
  await drawer.getByText('Hephaestus').first().waitFor();
  await drawer.getByRole('button', { name: 'Approve' }).click();
  await card.getByText('Approved', { exact: true }).waitFor();
  await theirs.page.getByText('It is evening in Tokyo.').waitFor();
  // The conversation is not theirs to read; what was done about it is.
  expect(await drawer.getByRole('link', { name: 'The conversation' }).count()).toBe(0);
  await drawer.getByRole('link', { name: 'What the audit says of it' }).click();
  await page
    .getByRole('cell', { name: /^proposal\./ })
    .first()
    .waitFor();
  expect(await page.getByLabel('Target').inputValue()).not.toBe('');
  expect(complaints).toEqual([]);
  expect(theirs.complaints).toEqual([]);
  await theirs.context.close();
  await context.close();
});

it('is withdrawn in the chat by who asked, who finds the way back to it', async () => {
  holdVotes({ name: 'get_current_time', args: { timezone: 'Asia/Seoul' } });
  const { page, complaints, context, axe } = await app.open();
  await page.waitForURL('**/chat');
  await page.getByLabel('Message', { exact: true }).fill('/hephaestus What time is it in Seoul?');
  await page.keyboard.press('Enter');
  const card = page.getByRole('region', { name: /^Approval: / });
  await card.getByText('A person must decide').waitFor();
  expect(await axe()).toEqual([]);
  await card.getByRole('button', { name: 'Cancel proposal …' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel proposal', exact: true }).click();
  await card.getByText('Withdrawn', { exact: true }).waitFor();
  expect(await card.getByText('It expires').count()).toBe(0);
  await page.getByText('It is evening in Tokyo.').waitFor();
  const conversation = new URL(page.url()).searchParams.get('c');

  await page.goto(`${app.server.url}/governance?view=history`);
  await page
    .getByRole('row')
    .filter({ hasText: 'get_current_time' })
    .filter({ hasText: 'cancelled' })
    .click();
  await page.getByRole('dialog').getByRole('link', { name: 'The conversation' }).click();
  await page.waitForURL((url) => url.searchParams.get('c') === conversation);
  expect(complaints).toEqual([]);
  await context.close();
});

describe('what untrusted content may have led to', () => {
  const fixture = path.join(import.meta.dirname, '../mcp/fixture-server.ts');
  const as = { email: 'asked@example.com', password: 'a long enough password' };
  let log: string;
  const sent = (address: string): number =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('tools/call') && line.includes(address)).length;

  beforeAll(async () => {
    log = path.join(path.dirname(app.server.dataDir), 'questions.log');
    const admin = await app.server.signIn();
    const made = await admin.post('/v2/mcp/servers', {
      name: 'web',
      transport: 'stdio',
      command: process.execPath,
      args: [fixture, JSON.stringify({ web: true })],
      env: { FIXTURE_LOG: log },
      accept_tools: true,
    });
    expect([made.status, made.text]).toEqual([201, made.text]);
    await vi.waitFor(
      async () => {
        const { items } = (await admin.get('/v2/mcp/servers?limit=100')).json<{
          items: { name: string; status: string }[];
        }>();
        expect(items.find(({ name }) => name === 'web')?.status).toBe('connected');
      },
      { timeout: 15_000 },
    );
    expect((await admin.post('/v2/users', { ...as, name: 'Ada Asked', roles: ['user'] })).status).toBe(201);
  });

  /** Reads a page, and then does what that page tells it to: reads another address. */
  const lead = (word: string): void => {
    provider.reset();
    provider.always((request) => {
      const all = request.body.messages ?? [];
      const since = all.slice(all.findLastIndex(({ role }) => role === 'user'));
      const calls = since.filter(({ role }) => role === 'tool').length;
      const url = [`https://first.test/${word}`, `https://far.test/?d=${word}`][calls];
      if (url === undefined) return { chunks: ['That is all of it.'] };
      return { toolCalls: [{ id: `c${calls}`, name: 'web__get_url', arguments: JSON.stringify({ url }) }] };
    });
  };

  it.each([
    ['approved, on a desktop', 'desktop', 'Approve', 'Approved', 1],
    ['denied, on a phone', 'phone', 'Deny', 'Rejected', 0],
  ] as const)(
    req('CONSOLE-04', 'asks the person in the chat, shows the very call, and does what they answer: %s'),
    async (_name, device, button, outcome, times) => {
      const word = `w${device}`;
      lead(word);
      const { page, axe, complaints, screenshot, context } = await app.open({ as, device });
      await page.waitForURL('**/chat');
      await page.getByLabel('Message', { exact: true }).fill('/hephaestus Read the page for me');
      await page.getByRole('button', { name: 'Send' }).click();
      const card = page.getByRole('region', { name: /^Approval: / });
      await card.getByText('Your answer is needed').waitFor();
      await card.getByText('web / get_url').waitFor();
      await card.getByText(`https://far.test/?d=${word}`).waitFor();
      await card.getByText('may have led to this call').waitFor();
      expect(await card.getByText('somebody else must decide').count()).toBe(0);
      expect(sent(`far.test/?d=${word}`)).toBe(0);
      expect(await axe()).toEqual([]);
      await screenshot(`chat-question-${device}`);
      await card.getByRole('button', { name: button }).click();
      await card.getByText(outcome, { exact: true }).waitFor();
      await page.getByText('That is all of it.').waitFor();
      expect(sent(`far.test/?d=${word}`)).toBe(times);
      expect(await card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it(
    req('CONSOLE-04', 'also in Governance under "Needs you"; nobody else is offered an answer'),
    async () => {
      lead('wlist');
      const person = await app.server.signIn(as.email, as.password);
      const stream = await person.stream('/v2/chat/stream', {
        message: 'Read the page for me',
        context: { agent_id: 'hephaestus' },
      });
      for (
        let event = await stream.next();
        event?.event !== 'proposal.created';
        event = await stream.next()
      ) {
        if (event === null) throw new Error('the run ended without a question');
      }
      const theirs = await app.open({ as, path: '/governance?view=needs_you' });
      const others = await app.open({ path: '/governance?view=awaiting_human' });
      await others.page.getByRole('row').filter({ hasText: 'get_url' }).first().click();
      const foreign = others.page.getByRole('dialog');
      await foreign.getByText('Only the person who asked can answer this.').waitFor();
      expect(await foreign.getByRole('button', { name: 'Approve' }).count()).toBe(0);

      await theirs.page.getByRole('row').filter({ hasText: 'get_url' }).first().click();
      const own = theirs.page.getByRole('dialog');
      expect(await theirs.axe()).toEqual([]);
      await theirs.screenshot('governance-question');
      await own.getByRole('button', { name: 'Approve' }).click();
      await own.getByText('approved', { exact: true }).first().waitFor();
      await expect.poll(() => sent('far.test/?d=wlist')).toBe(1);
      expect([...theirs.complaints, ...others.complaints]).toEqual([]);
      await theirs.context.close();
      await others.context.close();
    },
  );
});
