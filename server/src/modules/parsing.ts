import { createGuardedFetch } from '../adapters/guarded-fetch/index.ts';
import { createArchiveReader } from '../adapters/parsing/archive.ts';
import { missingLanguages } from '../adapters/parsing/ocr-engine.ts';
import { createOfficeConverter } from '../adapters/parsing/office-convert.ts';
import { createDocumentParser } from '../adapters/parsing/parser.ts';
import { createRecognizer, type Recognizer } from '../adapters/parsing/recognizer.ts';
import {
  createRemoteParser,
  REMOTE_ANSWER_MS,
  type RemoteParser,
} from '../adapters/parsing/remote-parser.ts';
import { isTypeName } from '../adapters/parsing/types.ts';
import { createTableEngine } from '../adapters/table-sql/index.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { createRecognizedPages } from '../features/knowledge/index.ts';
import type { PageMemory } from '../kernel/parser.ts';
import { defineModule, type Given } from './module.ts';

/** JSON of an export in its archive: it is parsed in this process. */
const MAX_UNZIPPED_IMPORT_BYTES = 64 * 1024 * 1024;

const MAX_REMOTE_BYTES = 64 * 1024 * 1024;

type RemoteConfig = Pick<Config, 'PARSER_API_KEY' | 'PARSER_KIND' | 'PARSER_TYPES' | 'PARSER_URL'>;

/** Throws where a type is none. */
const remoteOf = (config: RemoteConfig): RemoteParser | null => {
  if (config.PARSER_URL === null) return null;
  const unknown = config.PARSER_TYPES.find((type) => !isTypeName(type));
  if (unknown !== undefined) throw new Error(`PARSER_TYPES names ${unknown}, which is no type of documents`);
  return createRemoteParser({
    kind: config.PARSER_KIND,
    url: config.PARSER_URL,
    apiKey: config.PARSER_API_KEY,
    types: new Set(config.PARSER_TYPES.filter(isTypeName)),
    // The operator names it: it usually is on the own network.
    http: createGuardedFetch({
      allowPrivate: true,
      maxBodyBytes: MAX_REMOTE_BYTES,
      // It answers once it is done.
      headersTimeoutMs: REMOTE_ANSWER_MS,
      bodyTimeoutMs: REMOTE_ANSWER_MS,
    }),
  });
};

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

export interface ParsingDeps extends Pick<Given, 'clock' | 'onError'> {
  config: OcrConfig & RemoteConfig & Pick<Config, 'PARSER_MEMORY_MIB' | 'PARSER_TIMEOUT_S' | 'SOFFICE_PATH'>;
  db: Db;
}

/** The readers of documents, tables and archives, with the other programs that the settings name. */
export const parsingModule = defineModule({
  name: 'parsing',
  needs: ['clock', 'config', 'db', 'onError'],
  build({ clock, config, db, onError }: ParsingDeps) {
    const program = config.SOFFICE_PATH;
    const parser = createDocumentParser({
      memoryMib: config.PARSER_MEMORY_MIB,
      timeoutMs: config.PARSER_TIMEOUT_S * 1000,
      office: program === null ? null : createOfficeConverter({ program }),
      recognizer: recognizerOf(config, createRecognizedPages(db, clock)),
      remote: remoteOf(config),
      warn: onError,
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
