import { missingLanguages } from './adapters/parsing/ocr-engine.ts';
import { createOfficeConverter } from './adapters/parsing/office-convert.ts';
import { createDocumentParser } from './adapters/parsing/parser.ts';
import { createRecognizer, type Recognizer } from './adapters/parsing/recognizer.ts';
import type { Config } from './config.ts';
import type { DocumentParser, PageMemory } from './kernel/parser.ts';

/** The reader of documents, with the other programs that the settings name. Throws where language data is missing. */
export const composeParser = (config: Config, memory: PageMemory): DocumentParser =>
  createDocumentParser({
    office: config.SOFFICE_PATH === null ? null : createOfficeConverter({ program: config.SOFFICE_PATH }),
    recognizer: composeRecognizer(config, memory),
  });

function composeRecognizer(config: Config, memory: PageMemory): Recognizer | null {
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
}
