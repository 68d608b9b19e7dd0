import { createOfficeConverter } from './adapters/parsing/office-convert.ts';
import { createDocumentParser } from './adapters/parsing/parser.ts';
import type { Config } from './config.ts';
import type { DocumentParser } from './kernel/parser.ts';

/** The reader of documents, with the other programs that the settings name. */
export const composeParser = (config: Config): DocumentParser =>
  createDocumentParser({
    office: config.SOFFICE_PATH === null ? null : createOfficeConverter({ program: config.SOFFICE_PATH }),
  });
