import { createExtract } from 'pentarch-memory-patterns';
import { looksSecret } from '../../kernel/text-signs.ts';

/** What a message says that lasts, by the patterns; secrets are none of it. */
export const extract = createExtract(looksSecret);
