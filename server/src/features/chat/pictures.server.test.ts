import { createCanvas } from '@napi-rs/canvas';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import { linesFrom, makePicture } from '../../../test/support/scan.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Pictures sent with a message: shown to models that can see, kept with their conversation, and gone with it. */

interface Picture {
  id: string;
  name: string;
  media_type: string;
  width: number;
  height: number;
}
interface Message {
  id: string;
  role: string;
  content: string;
  pictures?: Picture[];
}
interface Reply {
  id: string;
  parent_id: string;
  conversation_id: string;
  cost_usd: string;
}
interface Part {
  type: string;
  text?: string;
  image_url?: { url: string };
}

const V1 = '/api/v1';
const SECRET = 'N 52.5200 E 13.4050';

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({
  env: { VISION_MODELS: 'compatible/seeing*', MODELS: 'compatible/blind', MODEL: 'compatible/seeing' },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => {
  provider.reset();
  provider.always(() => ({ text: 'Seen.' }));
});

const png = (colour: string, side = 16): Buffer => {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  context.fillStyle = colour;
  context.fillRect(0, 0, side, side);
  return canvas.toBuffer('image/png');
};
/** A photo with a place in it. */
const photo = (): Buffer => {
  const file = createCanvas(32, 16).toBuffer('image/jpeg');
  const comment = Buffer.from(SECRET);
  const head = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
  return Buffer.concat([file.subarray(0, 2), head, comment, file.subarray(2)]);
};
const image = (bytes: Buffer, name?: string) => ({
  image: bytes.toString('base64'),
  ...(name === undefined ? {} : { name }),
});

const ok = <T>(answer: { status: number; text: string; json<R>(): R }, status = 200): T => {
  expect(answer.status, answer.text).toBe(status);
  return answer.json<T>();
};
const body = (message: string, more: Record<string, unknown>) => ({
  message,
  ...more,
  context: { agent_id: 'zeus', ...(more.context as object | undefined) },
});
const ask = async (message: string, more: Record<string, unknown> = {}, by: Client = admin): Promise<Reply> =>
  ok<Reply>(await by.post(`${V1}/chat`, body(message, more)));
const messagesOf = async (id: string, by: Client = admin): Promise<Message[]> =>
  ok<{ items: Message[] }>(await by.get(`${V1}/conversations/${id}/messages?limit=100&branches=all`)).items;
const pictureOf = async (id: string): Promise<Picture> => {
  const found = (await messagesOf(id)).find((message) => message.pictures !== undefined)?.pictures?.[0];
  if (found === undefined) throw new Error('there is no picture');
  return found;
};
const partsOf = (request: TestRequest | undefined): Part[] =>
  (request?.body.messages ?? []).flatMap(({ content }) =>
    Array.isArray(content) ? (content as Part[]) : [{ type: 'text', text: String(content) }],
  );
const shown = (request = provider.requests.at(-1)): Buffer[] =>
  partsOf(request).flatMap(({ image_url: url }) =>
    url === undefined ? [] : [Buffer.from(url.url.split(',')[1] ?? '', 'base64')],
  );
const words = (request = provider.requests.at(-1)): string =>
  partsOf(request)
    .map(({ text = '' }) => text)
    .join('\n');

describe('pictures that are sent with a message', () => {
  it(
    req('PIC-01', 'a picture goes to the model, stands on its message and comes back by its id'),
    async () => {
      const red = png('#f00');
      const { conversation_id: id } = await ask('What colour?', {
        attachments: [
          { image: `data:image/png;base64,${red.toString('base64')}`, name: '../folder/red\n.png' },
        ],
      });
      expect(shown()).toEqual([red]);
      const picture = await pictureOf(id);
      expect(picture).toMatchObject({ name: 'red .png', media_type: 'image/png', width: 16, height: 16 });
      const read = await admin.get(`${V1}/conversations/${id}/pictures/${picture.id}`);
      expect(read.status).toBe(200);
      expect(read.headers.get('content-type')).toBe('image/png');
      expect(read.headers.get('x-content-type-options')).toBe('nosniff');
      expect(read.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(read.headers.get('content-disposition')).toContain('attachment');
      expect(read.headers.get('cache-control')).toBe('no-store');
      const exported = ok<{ messages: Message[]; taint: string[] }>(
        await admin.get(`${V1}/conversations/${id}/export`),
      );
      expect(exported.messages[0]?.pictures).toEqual([picture]);
      expect(exported.taint).toEqual(['documents']);
      const copy = { ...exported, id: `${id} again` };
      const { conversation_ids: copies } = ok<{ conversation_ids: string[] }>(
        await admin.post(`${V1}/conversations/import`, copy),
      );
      const [imported] = await messagesOf(copies[0] ?? '');
      expect(imported?.content).toBe('What colour?\n[image: red .png]');
      expect(imported?.pictures).toBeUndefined();
      expect((await admin.get(`${V1}/conversations/${id}/export?format=markdown`)).text).toContain(
        '[image: red .png]',
      );
      // Without a picture the wire is what it was.
      await ask('And now in words.');
      expect(provider.requests.at(-1)?.body.messages?.every((one) => typeof one.content === 'string')).toBe(
        true,
      );
    },
  );

  it(req('PIC-02', 'nothing of where and with what it was taken is stored or sent'), async () => {
    const file = photo();
    expect(file.includes(SECRET)).toBe(true);
    const { conversation_id: id } = await ask('Where is this?', { attachments: [image(file)] });
    expect(shown()[0]?.includes(SECRET)).toBe(false);
    const { id: pictureId, name } = await pictureOf(id);
    expect(name).toBe('image.jpg');
    const read = await admin.get(`${V1}/conversations/${id}/pictures/${pictureId}`);
    expect(read.text).not.toContain(SECRET);
  });

  it(
    req('PIC-03', 'a model that cannot see refuses before anything is spent, and says what to do'),
    async () => {
      const sent = { attachments: [image(png('#0f0'))] };
      for (const model of ['compatible/blind', 'builtin']) {
        const refused = await admin.post(`${V1}/chat`, body('See?', { ...sent, context: { model } }));
        expect(refused.status).toBe(422);
        expect(refused.text).toContain('/attachments');
        expect(refused.text).toContain(`${model} cannot see`);
        expect(refused.text).toContain('VISION_MODELS');
      }
      expect(provider.requests).toHaveLength(0);
      // Earlier pictures are told by name to a model that cannot see.
      const { conversation_id: id } = await ask('See?', { attachments: [image(png('#0f0'), 'green.png')] });
      await ask('Go on', { conversation_id: id, context: { model: 'compatible/blind' } });
      expect(shown()).toEqual([]);
      expect(words()).toContain('[image: green.png]');
    },
  );

  it(req('PIC-04', 'earlier pictures go along again, the newest first as far as there is room'), async () => {
    const [red, blue] = [png('#f00'), png('#00f')];
    const first = await ask('One', { attachments: [image(red, 'one.png')] });
    const conversation = { conversation_id: first.conversation_id };
    await ask('Two', { ...conversation, attachments: [image(blue, 'two.png')] });
    expect(shown()).toEqual([red, blue]);
    const many = Array.from({ length: 9 }, (_, i) => image(png('#123', 17 + i)));
    await ask('Many', { ...conversation, attachments: many });
    expect(shown()).toHaveLength(10);
    expect(shown()[0]).toEqual(blue);
    expect(words()).toContain('[image: one.png]');
  });

  it(req('PIC-05', 'an answer given again and an edited question have the pictures of before'), async () => {
    const red = png('#f00');
    const first = await ask('One', { attachments: [image(red)] });
    const at = `${V1}/conversations/${first.conversation_id}/messages`;
    ok(await admin.post(`${at}/${first.id}/regenerate`, {}));
    expect(shown()).toEqual([red]);
    ok(await admin.post(`${at}/${first.parent_id}/edit`, { message: 'Other words' }));
    expect(shown()).toEqual([red]);
    ok(await admin.post(`${at}/${first.parent_id}/edit`, { message: 'No picture', attachments: [] }));
    expect(shown()).toEqual([]);
    const [question] = await messagesOf(first.conversation_id);
    const fork = ok<{ id: string }>(
      await admin.post(`${V1}/conversations/${first.conversation_id}/fork`, { message_id: question?.id }),
      201,
    );
    const gone = await admin.delete(`${V1}/conversations/${first.conversation_id}?permanent=true`);
    expect(gone.status).toBe(204);
    const kept = await pictureOf(fork.id);
    expect((await admin.get(`${V1}/conversations/${fork.id}/pictures/${kept.id}`)).status).toBe(200);
    await ask('Still there?', { conversation_id: fork.id });
    expect(shown()).toEqual([red]);
  });

  it(req('PIC-06', 'nobody else reads a picture, and it is gone with its conversation'), async () => {
    const other = await newPerson(server, admin);
    const { conversation_id: id } = await ask('Mine', { attachments: [image(png('#f00'))] }, other);
    const { pictures = [] } = (await messagesOf(id, other))[0] ?? {};
    const path = `${V1}/conversations/${id}/pictures/${pictures[0]?.id}`;
    expect((await other.get(path)).status).toBe(200);
    const stranger = await newPerson(server, admin);
    expect((await stranger.get(path)).status).toBe(404);
    // Who is shown the conversation by a share sees words.
    const { token } = ok<{ token: string }>(
      await other.post(`${V1}/conversations/${id}/shares`, { audience: 'tenant' }),
      201,
    );
    const view = await stranger.get(`${V1}/shares/${token}`);
    expect(view.status).toBe(200);
    expect(view.text).not.toContain(pictures[0]?.id ?? 'none');
    expect((await stranger.get(path)).status).toBe(404);
    const own = await ask('Own', {}, stranger);
    expect(
      (await stranger.get(`${V1}/conversations/${own.conversation_id}/pictures/${pictures[0]?.id}`)).status,
    ).toBe(404);
    const stolen = body('Mine now', {
      conversation_id: own.conversation_id,
      attachments: [{ picture_id: pictures[0]?.id }],
    });
    const refused = await stranger.post(`${V1}/chat`, stolen);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('is no picture of this conversation');
    expect((await other.delete(`${V1}/conversations/${id}?permanent=true`)).status).toBe(204);
    expect((await other.get(path)).status).toBe(404);
  });

  it(
    req('PIC-07', 'what is no picture, or too large, is refused with its place and its reason'),
    async () => {
      const huge = png('#f00');
      huge.writeUInt32BE(60_000, 16);
      const twofold = Buffer.concat([png('#f00'), Buffer.from('PK\u0003\u0004')]);
      const cases: [Record<string, unknown>, string][] = [
        [{ image: Buffer.from('<svg/>').toString('base64') }, 'is neither PNG, JPEG, WebP nor GIF'],
        [{ image: 'https://example.org/a.png' }, 'is no base64'],
        [image(huge), 'pixels'],
        [image(twofold), 'something else behind its end'],
        [{}, 'must have one of'],
        [{ ...image(huge), picture_id: '01890000-0000-7000-8000-000000000000' }, 'must have one of'],
        [{ picture_id: '01890000-0000-7000-8000-000000000000' }, 'is no picture of this conversation'],
      ];
      for (const [attachment, reason] of cases) {
        const refused = await admin.post(`${V1}/chat`, body('x', { attachments: [attachment] }));
        expect(refused.status, reason).toBe(422);
        expect(refused.text).toContain('/attachments/0');
        expect(refused.text).toContain(reason);
      }
      const many = Array.from({ length: 11 }, () => image(png('#f00')));
      expect((await admin.post(`${V1}/chat`, body('x', { attachments: many }))).text).toContain('at most 10');
      expect(provider.requests).toHaveLength(0);
    },
  );

  it(req('PIC-08', 'a temporary chat shows its picture and leaves none behind'), async () => {
    const red = png('#f00');
    const stream = await admin.post(
      `${V1}/chat/stream`,
      body('Look', { store: false, attachments: [image(red)] }),
    );
    expect(stream.text).toContain('message.completed');
    expect(shown()).toEqual([red]);
    const { conversation_id: id } = ok<Reply>(
      await admin.post(`${V1}/chat`, body('Look', { store: false, attachments: [image(red)] })),
    );
    expect((await admin.get(`${V1}/conversations/${id}`)).status).toBe(404);
  });

  it(req('PIC-09', 'the same key with another picture is another request'), async () => {
    const headers = { 'idempotency-key': 'picture-key-1' };
    const send = (colour: string) =>
      admin.post(`${V1}/chat`, body('Look', { attachments: [image(png(colour))] }), { headers });
    const first = ok<Reply>(await send('#f00'));
    expect(ok<Reply>(await send('#f00')).id).toBe(first.id);
    expect((await send('#00f')).status).toBe(422);
    expect(provider.requests).toHaveLength(1);
  });

  it(req('PIC-10', 'a message that waits for its turn keeps its picture'), async () => {
    const { conversation_id: id } = await ask('Begin');
    const gate = Promise.withResolvers<void>();
    provider.always(() => ({ text: 'Late.', hold: gate.promise }));
    const busy = admin.post(`${V1}/chat`, body('First', { conversation_id: id }));
    await expect.poll(() => provider.requests.length).toBe(2);
    const red = png('#f00');
    const waits = admin.post(
      `${V1}/chat`,
      body('Second', { conversation_id: id, attachments: [image(red)] }),
    );
    await expect
      .poll(async () => (await messagesOf(id)).some((one) => one.pictures !== undefined))
      .toBe(true);
    gate.resolve();
    ok(await busy);
    ok(await waits);
    expect(shown()).toEqual([red]);
  });
});

const refused = {
  error: { status: 400, body: { error: { code: 'image_parse_error', message: 'no image' } } },
};
const failed = async (message: string, more: Record<string, unknown>): Promise<void> => {
  const answer = await admin.post(`${V1}/chat`, body(message, more));
  expect(answer.status, answer.text).toBe(502);
};

describe('pictures that a provider refuses', () => {
  it(req('PIC-15', 'do not stop their conversation: later turns are told their names'), async () => {
    const { conversation_id: id } = await ask('Begin');
    const conversation = { conversation_id: id };
    provider.always((request) => (shown(request).length > 0 ? refused : { text: 'Read.' }));
    const asked = provider.requests.length;
    await failed('Look', { ...conversation, attachments: [image(png('#f00'), 'broken.png')] });
    expect(provider.requests).toHaveLength(asked + 1);
    for (const message of ['One', 'Two']) {
      await ask(message, conversation);
      expect(shown()).toEqual([]);
      expect(words()).toContain('[image: broken.png]');
    }
    expect(provider.requests).toHaveLength(asked + 3);
    // By itself never; who names it sends it.
    provider.always(() => ({ text: 'Seen.' }));
    await ask('Three', conversation);
    expect(shown()).toEqual([]);
    const { id: pictureId } = await pictureOf(id);
    await ask('Look again', { ...conversation, attachments: [{ picture_id: pictureId }] });
    expect(shown()).toHaveLength(1);
  });

  it(req('PIC-15', 'also where an answer had begun before it failed'), async () => {
    provider.script({ chunks: ['I ', 'see'], errorChunkAfter: 1 });
    const stream = await admin.post(
      `${V1}/chat/stream`,
      body('Look', { attachments: [image(png('#f00'), 'half.png')] }),
    );
    const id = /"conversation_id":"([^"]+)"/.exec(stream.text)?.[1] ?? '';
    await ask('Go on', { conversation_id: id });
    expect(shown()).toEqual([]);
    expect(words()).toContain('[image: half.png]');
  });

  it(req('PIC-15', 'also where another model had looked at them'), async () => {
    const [red, blue] = [png('#f00'), png('#00f')];
    const { conversation_id: id } = await ask('Look', { attachments: [image(red, 'red.png')] });
    const conversation = { conversation_id: id };
    provider.always((request) =>
      shown(request).some((one) => one.equals(red)) ? refused : { text: 'Read.' },
    );
    await ask('Go on', conversation);
    expect(shown()).toEqual([]);
    expect(words()).toContain('[image: red.png]');
    await ask('And this?', { ...conversation, attachments: [image(blue)] });
    expect(shown()).toEqual([blue]);
    provider.always(() => refused);
    const before = provider.requests.length;
    await failed('Words', conversation);
    expect(provider.requests).toHaveLength(before + 2);
  });

  it(req('PIC-15', 'a turn that was cancelled keeps its picture'), async () => {
    const red = png('#f00');
    provider.script({ chunks: ['I ', 'see'], hangAfter: 1 });
    const stream = await admin.stream(`${V1}/chat/stream`, body('Look', { attachments: [image(red)] }));
    const started = (await stream.until('message.delta')).find(({ event }) => event === 'run.started');
    const run = started?.data as { run_id: string; conversation_id: string };
    expect((await admin.post(`${V1}/chat/runs/${run.run_id}/cancel`)).status).toBe(202);
    await stream.rest();
    await ask('Go on', { conversation_id: run.conversation_id });
    expect(shown()).toEqual([red]);
  });
});

const itBlind = withWorld({
  env: {
    VISION_MODELS: 'compatible/eye',
    MODEL: 'compatible/blind',
    MODELS: 'compatible/eye',
    HISTORY_TOKENS: '2000',
  },
});

describe('words about a picture', () => {
  itBlind(req('PIC-16', 'go to a model that can see, as the picture did'), async ({ world }) => {
    const { provider: played, admin: person } = world;
    played.always(() => ({ text: 'Seen.' }));
    const send = async (message: string, more: Record<string, unknown>): Promise<Reply> =>
      ok<Reply>(await person.post(`${V1}/chat`, body(message, more)));
    const last = () => played.requests.at(-1);
    const model = () => last()?.body.model;
    const red = png('#f00');
    const { conversation_id: id } = await send('Look', { attachments: [image(red, 'red.png')] });
    expect(model()).toBe('eye');
    await send('What is in the corner?', { conversation_id: id });
    expect([model(), shown(last())]).toEqual(['eye', [red]]);
    // A model that is named stays.
    await send('Words', { conversation_id: id, context: { model: 'compatible/blind' } });
    expect([model(), shown(last())]).toEqual(['blind', []]);
    expect(words(last())).toContain('[image: red.png]');
    // Other conversations are no matter of the eyes, nor is one whose picture is too far back.
    await send('Words', {});
    expect(model()).toBe('blind');
    await send('long '.repeat(1_800), { conversation_id: id });
    await send('Words', { conversation_id: id });
    expect(model()).toBe('blind');
    // A client's tool asks on within the run.
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }];
    const question = {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${red.toString('base64')}` } },
      ],
    };
    played.script({ toolCalls: [{ id: 'c1', name: 'look_up', arguments: '{}' }] });
    const door = (messages: unknown[]) =>
      person.post('/v1/chat/completions', { model: 'pentarch/zeus', messages, tools });
    const called = ok<{ choices: { message: { tool_calls: { id: string }[] } }[] }>(await door([question]));
    const message = called.choices[0]?.message;
    expect(model()).toBe('eye');
    ok(
      await door([
        question,
        { role: 'assistant', content: null, ...message },
        { role: 'tool', tool_call_id: message?.tool_calls[0]?.id, content: 'Found.' },
      ]),
    );
    expect([model(), shown(last())]).toEqual(['eye', [red]]);
  });
});

const itFalls = withWorld({
  env: {
    VISION_MODELS: 'compatible/eye',
    MODEL: 'compatible/eye',
    MODEL_FALLBACKS: 'compatible/blind',
  },
});

describe('a fallback that cannot see', () => {
  itFalls(req('PIC-17', 'answers words about an earlier picture, and no picture'), async ({ world }) => {
    const { provider: played, admin: person } = world;
    played.always(() => ({ text: 'Seen.' }));
    const send = (message: string, more: Record<string, unknown>) =>
      person.post(`${V1}/chat`, body(message, more));
    const { conversation_id: id } = ok<Reply>(
      await send('Look', { attachments: [image(png('#f00'), 'red.png')] }),
    );
    const down = { error: { status: 503, body: { error: { message: 'down' } } } };
    played.always((request) => (request.body.model === 'eye' ? down : { text: 'Read.' }));
    ok(await send('Go on', { conversation_id: id }));
    const last = played.requests.at(-1);
    expect([last?.body.model, shown(last)]).toEqual(['blind', []]);
    expect(words(last)).toContain('[image: red.png]');
    const own = await send('See?', { conversation_id: id, attachments: [image(png('#00f'))] });
    expect(own.status).toBe(502);
    expect(played.requests.at(-1)?.body.model).toBe('eye');
  });
});

describe('documents that are pictures', () => {
  const upload = async (by: Client, bytes: Uint8Array): Promise<string> => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)]), 'board.png');
    const answer = await fetch(`${server.url}${V1}/knowledge/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by.token}`, prefer: 'wait=300' },
      body: form,
    });
    const text = await answer.text();
    expect(answer.status, text).toBe(201);
    return (JSON.parse(text) as { id: string }).id;
  };
  const lines = linesFrom(120, ['Photo of the notice board', 'Berth 7 is closed until the 19th of May.']);

  it(req(
    'PIC-30',
    'are shown by the rights to them, beside their text, and the copy stays with the message',
  ), async () => {
    const person = await newPerson(server, admin);
    const bytes = makePicture('png', { lines });
    const document = await upload(person, bytes);
    const attachments = [{ document_id: document }];
    const { conversation_id: id } = await ask('What is on it?', { attachments }, person);
    expect(shown()).toHaveLength(1);
    expect(words()).toContain('Berth 7 is closed');
    const [question] = await messagesOf(id, person);
    expect(question).toMatchObject({
      attachments: [{ document_id: document }],
      pictures: [{ name: 'board', media_type: 'image/png' }],
    });
    // Asked in other words, the same picture goes along once.
    const edit = await person.post(`${V1}/conversations/${id}/messages/${question?.id}/edit`, {
      message: 'And?',
    });
    expect(edit.status, edit.text).toBe(200);
    expect(shown()).toHaveLength(1);
    // Named twice, it is shown once.
    await ask('Both', { attachments: [...attachments, ...attachments] }, person);
    expect(shown()).toHaveLength(1);
    // A model that cannot see reads the text, as before.
    await ask('What is on it?', { attachments, context: { model: 'compatible/blind' } }, person);
    expect(shown()).toEqual([]);
    expect(words()).toContain('Berth 7 is closed');
    // Nobody else's document.
    const foreign = await (await newPerson(server, admin)).post(`${V1}/chat`, body('x', { attachments }));
    expect(foreign.status).toBe(422);
    expect((await person.delete(`${V1}/knowledge/documents/${document}`)).status).toBe(204);
    const picture = question?.pictures?.[0];
    expect((await person.get(`${V1}/conversations/${id}/pictures/${picture?.id}`)).status).toBe(200);
  }, 300_000);
});

it(
  req('PIC-31', 'a person’s export has the bytes of their pictures, and their erasure takes them'),
  async () => {
    const person = await newPerson(server, admin);
    const red = png('#f00', 24);
    const { conversation_id: id } = await ask(
      'What colour?',
      { attachments: [image(red, 'red.png')] },
      person,
    );
    const [picture] = (await messagesOf(id, person)).flatMap(({ pictures = [] }) => pictures);
    const exported = async () =>
      ok<{ data: { conversations: { id: string; pictures: Record<string, unknown>[] }[] } }>(
        await admin.get(`/v2/users/${person.id}/export`),
      ).data.conversations;
    expect(await exported()).toMatchObject([
      {
        id,
        pictures: [
          {
            id: picture?.id,
            name: 'red.png',
            media_type: 'image/png',
            width: 24,
            bytes_base64: red.toString('base64'),
          },
        ],
      },
    ]);
    expect((await admin.delete(`/v2/users/${person.id}/data`)).status).toBe(200);
    expect(await exported()).toEqual([]);
  },
);
