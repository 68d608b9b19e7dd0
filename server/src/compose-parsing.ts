import { createGuardedFetch } from './adapters/guarded-fetch/index.ts';
import { missingLanguages } from './adapters/parsing/ocr-engine.ts';
import { createOfficeConverter } from './adapters/parsing/office-convert.ts';
import { createDocumentParser } from './adapters/parsing/parser.ts';
import { createRecognizer, type Recognizer } from './adapters/parsing/recognizer.ts';
import { createRemoteParser, type RemoteParser } from './adapters/parsing/remote-parser.ts';
import { isTypeName } from './adapters/parsing/types.ts';
import type { Config } from './config.ts';
import type { DocumentParser, PageMemory } from './kernel/parser.ts';

const MAX_REMOTE_BYTES = 64 * 1024 * 1024;

/** The reader of documents, with the other programs that the settings name. Throws where a setting cannot be met. */
export const composeParser = (
  config: Config,
  memory: PageMemory,
  warn: (fault: unknown, message: string) => void,
): DocumentParser =>
  createDocumentParser({
    office: config.SOFFICE_PATH === null ? null : createOfficeConverter({ program: config.SOFFICE_PATH }),
    recognizer: composeRecognizer(config, memory),
    remote: composeRemote(config),
    warn,
  });

function composeRemote(config: Config): RemoteParser | null {
  if (config.PARSER_URL === null) return null;
  const unknown = config.PARSER_TYPES.find((type) => !isTypeName(type));
  if (unknown !== undefined) throw new Error(`PARSER_TYPES names ${unknown}, which is no type of documents`);
  return createRemoteParser({
    kind: config.PARSER_KIND,
    url: config.PARSER_URL,
    apiKey: config.PARSER_API_KEY,
    types: new Set(config.PARSER_TYPES.filter(isTypeName)),
    // The operator names it: it usually is on the own network.
    http: createGuardedFetch({ allowPrivate: true, maxBodyBytes: MAX_REMOTE_BYTES }),
  });
}

function composeRecognizer(config: Config, memory: PageMemory): Recognizer | null {
  if (config.OCR === 'off') return null;
  const settings = { languages: config.OCR_LANGUAGES, dataDir: config.OCR_DATA_DIR };
  const [missing] = missingLanguages(settings);
  if (missing !== undefined)
    throw new Error(
      `OCR_LANGUAGES names ${missing}, of which there is no data: put ${missing}.traineddata into the folder of OCR_DATA_DIR`,
    );
  return createRecognizer({ settings, force: config.OCR === 'force', memory });
}
