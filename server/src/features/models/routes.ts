import { Type } from 'typebox';
import { type AnyRoute, route } from '../../http/route.ts';
import { pageOfAll, pageRequest } from '../../kernel/pagination.ts';
import { Page, PageQuery, Strict } from '../../kernel/schema.ts';
import type { ModelPrice } from './rules.ts';
import type { Models } from './service.ts';

const dollars = (description: string) =>
  Type.Number({ minimum: 0, description: `US dollars per million ${description}` });

const Model = Type.Object({
  id: Type.String({ description: 'What `context.model` of a chat takes' }),
  provider: Type.String(),
  default: Type.Boolean({ description: 'Answers where nobody names a model' }),
  local: Type.Boolean({ description: 'Runs on this machine and costs nothing' }),
  available: Type.Boolean({
    description: 'False while the provider fails: then the fallback models answer in its place',
  }),
  vision: Type.Boolean({ description: 'It, or a fallback of it, sees the pictures of a message' }),
  context_tokens: Type.Integer({
    description: 'Prompt and answer together; the least of the model and its fallbacks',
  }),
  price: Type.Object({
    input: dollars('prompt tokens'),
    cached_input: dollars('prompt tokens that the provider had cached'),
    output: dollars('tokens of the answer'),
    estimated: Type.Boolean({
      description: 'True where no price is known and the configured default is taken',
    }),
  }),
});
const ModelPage = Page(Model);

/** Pico-dollars for one token are millionths of dollars for a million. */
const perMillion = (pico: number): number => pico / 1e6;

const priceOf = (price: ModelPrice) => ({
  input: perMillion(price.inputPico),
  cached_input: perMillion(price.cachedInputPico),
  output: perMillion(price.outputPico),
  estimated: price.estimated,
});

export const modelRoutes = (
  models: Pick<Models, 'choices' | 'isLocal' | 'contextTokens' | 'price' | 'seeing'>,
): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/models',
    operationId: 'listModels',
    summary: 'Models that a caller may name in `context.model`, the default first',
    tag: 'Models',
    access: 'agents:read',
    query: Strict(PageQuery),
    responses: { 200: ModelPage },
    handler: ({ query }) => {
      const all = models.choices().map(({ ref, isDefault, isAvailable }) => ({
        id: ref.id,
        provider: ref.provider,
        default: isDefault,
        local: models.isLocal(ref),
        vision: models.seeing(ref, false) !== null,
        available: isAvailable,
        context_tokens: models.contextTokens(ref),
        price: priceOf(models.price(ref)),
      }));
      return pageOfAll(all, pageRequest(query));
    },
  }),
];
