import { masked } from '../../kernel/masked.ts';
import { traced, tracesContents } from '../../kernel/tracing.ts';

/** A search of documents in the words of OpenTelemetry's conventions for generative AI. */
export const inSearchSpan = <T>(
  ask: { query: string; limit: number; tenantId: string },
  work: () => Promise<T[]>,
): Promise<T[]> =>
  traced(
    'retrieval knowledge',
    {
      attributes: {
        'gen_ai.operation.name': 'retrieval',
        'gen_ai.data_source.id': 'knowledge',
        'pentarch.search.limit': ask.limit,
        'pentarch.tenant.id': ask.tenantId,
        ...(tracesContents() ? { 'gen_ai.retrieval.query.text': masked(ask.query) } : {}),
      },
    },
    async (span) => {
      const hits = await work();
      span.set({ 'pentarch.search.hits': hits.length });
      return hits;
    },
  );
