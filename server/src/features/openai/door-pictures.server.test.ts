import Anthropic from '@anthropic-ai/sdk';
import { createCanvas } from '@napi-rs/canvas';
import OpenAI from 'openai';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Images at the doors of the OpenAI and the Anthropic protocols, sent by their own clients. */

interface Part {
  type: string;
  text?: string;
  image_url?: { url: string };
}

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let openai: OpenAI;
let anthropic: Anthropic;

const it = withWorld({
  env: { VISION_MODELS: 'compatible/seeing', MODEL: 'compatible/seeing', MODELS: 'compatible/blind' },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: admin.token ?? '', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: server.url, apiKey: admin.token ?? '', maxRetries: 0 });
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
const dataUrl = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;
const partsOf = (content: unknown): Part[] => (Array.isArray(content) ? (content as Part[]) : []);
const shown = (): Buffer[] =>
  (provider.requests.at(-1)?.body.messages ?? []).flatMap(({ content }) =>
    partsOf(content).flatMap(({ image_url: image }) =>
      image === undefined ? [] : [Buffer.from(image.url.split(',')[1] ?? '', 'base64')],
    ),
  );
const MODEL = 'pentarch/zeus';
const [red, blue] = [png('#f00'), png('#00f')];

interface Door {
  ask(images: readonly (Buffer | string)[], words?: string): Promise<unknown>;
  /** With pictures in earlier turns, one each. */
  later(...images: Buffer[]): Promise<unknown>;
}

const urlOf = (image: Buffer | string): string => (typeof image === 'string' ? image : dataUrl(image));
const DOORS: [string, () => Door][] = [
  [
    'chat/completions',
    () => {
      const parts = (images: readonly (Buffer | string)[]) =>
        images.map((image) => ({ type: 'image_url' as const, image_url: { url: urlOf(image) } }));
      return {
        ask: (images, words = 'See?') =>
          openai.chat.completions.create({
            model: MODEL,
            messages: [{ role: 'user', content: [{ type: 'text', text: words }, ...parts(images)] }],
          }),
        later: (...images) =>
          openai.chat.completions.create({
            model: MODEL,
            messages: [
              ...images.flatMap((image) => [
                { role: 'user' as const, content: parts([image]) },
                { role: 'assistant' as const, content: 'I see.' },
              ]),
              { role: 'user', content: 'And now?' },
            ],
          }),
      };
    },
  ],
  [
    'responses',
    () => {
      const parts = (images: readonly (Buffer | string)[]) =>
        images.map((image) => ({
          type: 'input_image' as const,
          image_url: urlOf(image),
          detail: 'auto' as const,
        }));
      return {
        ask: (images, words = 'See?') =>
          openai.responses.create({
            model: MODEL,
            input: [{ role: 'user', content: [{ type: 'input_text', text: words }, ...parts(images)] }],
          }),
        later: (...images) =>
          openai.responses.create({
            model: MODEL,
            input: [
              ...images.flatMap((image) => [
                { role: 'user' as const, content: parts([image]) },
                { role: 'assistant' as const, content: 'I see.' },
              ]),
              { role: 'user', content: 'And now?' },
            ],
          }),
      };
    },
  ],
  [
    'messages',
    () => {
      const blocks = (images: readonly (Buffer | string)[]) =>
        images.map((image) => ({
          type: 'image' as const,
          source:
            typeof image === 'string'
              ? { type: 'url' as const, url: image }
              : {
                  type: 'base64' as const,
                  media_type: 'image/jpeg' as const,
                  data: image.toString('base64'),
                },
        }));
      const ask = (messages: Anthropic.MessageParam[]) =>
        anthropic.messages.create({ model: MODEL, max_tokens: 100, messages });
      return {
        ask: (images, words = 'See?') =>
          ask([{ role: 'user', content: [...blocks(images), { type: 'text', text: words }] }]),
        later: (...images) =>
          ask([
            ...images.flatMap((image) => [
              { role: 'user' as const, content: blocks([image]) },
              { role: 'assistant' as const, content: 'I see.' },
            ]),
            { role: 'user', content: 'And now?' },
          ]),
      };
    },
  ],
];

const failure = (call: Promise<unknown>): Promise<{ status: number; message: string; param?: string }> =>
  call.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: unknown) => error as { status: number; message: string; param?: string },
  );

describe.each(DOORS)('images at %s', (_name, open) => {
  it(req('PIC-11', 'the clients of the protocols send images, of earlier turns as well'), async () => {
    const door = open();
    await door.ask([red, blue]);
    expect(shown()).toEqual([red, blue]);
    await door.later(red);
    expect(shown()).toEqual([red]);
  });

  it(
    req('PIC-11', 'of the images of earlier turns the newest ten go along, and the conversation goes on'),
    async () => {
      const door = open();
      const many = Array.from({ length: 12 }, (_, i) => png('#0f0', 20 + i));
      await door.later(...many);
      expect(shown()).toEqual(many.slice(2));
      expect(JSON.stringify(provider.requests.at(-1)?.body.messages)).toContain('[image: image.png]');
      const refused = await failure(door.ask(many.slice(0, 11)));
      expect(refused.status).toBe(400);
      expect(refused.message).toContain('at most 10 pictures in one message');
    },
  );

  it(
    req('PIC-12', 'addresses and what is no image are refused with the place, before any cost'),
    async () => {
      const door = open();
      const address = await failure(door.ask(['https://example.org/cat.png']));
      expect(address.status).toBe(400);
      expect(address.message).toContain('are not fetched from addresses');
      const broken = await failure(door.ask([Buffer.from('<svg/>')]));
      expect(broken.status).toBe(400);
      expect(broken.message).toContain('is neither PNG, JPEG, WebP nor GIF');
      expect(`${broken.param} ${broken.message}`).toMatch(/content\.[01]/);
      expect(provider.requests).toEqual([]);
    },
  );
});

describe('images at the doors', () => {
  it(req('PIC-12', 'where the agent’s model cannot see, another that is set up looks'), async () => {
    const set = (model: string | null) => admin.patch('/v2/agents/zeus', { model });
    expect((await set('builtin')).status).toBe(200);
    try {
      for (const [, open] of DOORS) await open().ask([red]);
      expect(provider.requests.map(({ body }) => body.model)).toEqual(Array(3).fill('seeing'));
    } finally {
      await set(null);
    }
  });

  it(req('PIC-11', 'a stored conversation keeps the picture, store false leaves none'), async () => {
    const content = [
      { type: 'input_text' as const, text: 'See?' },
      { type: 'input_image' as const, image_url: dataUrl(red), detail: 'auto' as const },
    ];
    const first = await openai.responses.create({
      model: MODEL,
      input: [{ role: 'user', content }],
      store: true,
    });
    await openai.responses.create({ model: MODEL, input: 'Once more', previous_response_id: first.id });
    expect(shown()).toEqual([red]);
    await openai.responses.create({ model: MODEL, input: [{ role: 'user', content }], store: false });
    expect(shown()).toEqual([red]);
  });

  it(req('PIC-13', 'tokens of images are counted before they are sent'), async () => {
    const plain = await anthropic.messages.countTokens({
      model: MODEL,
      messages: [{ role: 'user', content: 'See?' }],
    });
    const seen = await anthropic.messages.countTokens({
      model: MODEL,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See?' },
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: png('#f00', 750).toString('base64') },
            },
          ],
        },
      ],
    });
    expect(seen.input_tokens - plain.input_tokens).toBe(750);
  });
});

const itBlind = withWorld({ env: { MODELS: 'compatible/other' } });

describe('images where no model can see', () => {
  itBlind(req('PIC-12', 'each protocol says so in its words, and nothing is spent'), async ({ world }) => {
    const apiKey = world.admin.token ?? '';
    openai = new OpenAI({ baseURL: `${world.server.url}/v1`, apiKey, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: world.server.url, apiKey, maxRetries: 0 });
    for (const [, open] of DOORS) {
      const refused = await failure(open().ask([red]));
      expect(refused.status).toBe(400);
      expect(refused.message).toContain('cannot see');
      expect(refused.message).toContain('VISION_MODELS');
      expect(refused.message).not.toContain('attachments');
    }
    expect(world.provider.requests).toEqual([]);
    const native = await world.admin.post('/api/v1/chat', {
      message: 'See?',
      attachments: [{ image: red.toString('base64') }],
    });
    expect(native.status).toBe(422);
  });
});
