import { createArchiveReader } from '../adapters/parsing/archive.ts';
import { missingLanguages } from '../adapters/parsing/ocr-engine.ts';
import { createOfficeConverter } from '../adapters/parsing/office-convert.ts';
import { createDocumentParser } from '../adapters/parsing/parser.ts';
import { createRecognizer, type Recognizer } from '../adapters/parsing/recognizer.ts';
import { createTableEngine } from '../adapters/table-sql/index.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { createRecognizedPages } from '../features/knowledge/index.ts';
import type { PageMemory } from '../kernel/parser.ts';
import { defineModule, type Given } from './module.ts';

/** JSON of an export in its archive: it is parsed in this process. */
const MAX_UNZIPPED_IMPORT_BYTES = 64 * 1024 * 1024;

type OcrConfig = Pick<Config, 'OCR' | 'OCR_LANGUAGES' | 'OCR_DATA_DIR'>;

/** Throws where language data is missing. */
const recognizerOf = (config: OcrConfig, memory: PageMemory): Recognizer | null => {
  if (config.OCR === 'off') return null;
  const settings = { languages: config.OCR_LANGUAGES, dataDir: config.OCR_DATA_DIR };
  const [missing] = missingLanguages(settings);
  if (missing !== undefined)
    throw new Error(
      `OCR_LANGUAGES names ${missing}, of which there is no data: put ${missing}.traineddata into the folder of OCR_DATA_DIR`,
    );
  return createRecognizer({
    settings,
    force: config.OCR === 'force',
    memory,
  });
};

export interface ParsingDeps extends Pick<Given, 'clock'> {
  config: OcrConfig & Pick<Config, 'SOFFICE_PATH'>;
  db: Db;
}

/** The readers of documents, tables and archives, with the other programs that the settings name. */
export const parsingModule = defineModule({
  name: 'parsing',
  needs: ['clock', 'config', 'db'],
  build({ clock, config, db }: ParsingDeps) {
    const program = config.SOFFICE_PATH;
    const parser = createDocumentParser({
      office: program === null ? null : createOfficeConverter({ program }),
      recognizer: recognizerOf(config, createRecognizedPages(db, clock)),
    });
    const tables = createTableEngine();
    return {
      service: { parser, tables, openArchive: createArchiveReader(MAX_UNZIPPED_IMPORT_BYTES) },
      async stop() {
        await Promise.all([parser.close(), tables.close()]);
      },
    };
  },
});
