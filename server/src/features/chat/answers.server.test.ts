import { describe, expect } from 'vitest';
import { answerFiles, answerQuestions, judge, uploadAnswerFiles } from '../../../test/support/answer-set.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/**
 * A fixed part of what bench/answers.ts measures: one real file of each type, uploaded as people do, and questions whose
 * answer must hold the fact and cite document, page and the words themselves.
 */

const FILES = [
  'bakery.md',
  'budget.xlsx',
  'cape-ardent.pdf',
  'glacier-log.txt',
  'launch.pptx',
  'lease.docx',
  'move.eml',
  'seeds.csv',
  'tram.html',
  'turbine.json',
];
const ASKED = [
  'How many white flashes does the light of Cape Ardent show?',
  'How many steps does the tower have?',
  'What is the sourdough starter called?',
  'How fast was the wind in the storm?',
  'What is the fine for travelling without a ticket?',
  'Which supplier sells Winter Density?',
  'When was the turbine commissioned?',
  'Why does the coffee machine stay behind?',
  'Who is the tenant of the workshop at Foundry Yard?',
  'Where does the launch of the Kestrel take place?',
  'How much did the trip to the Oslo fair cost?',
];
const REFUSED = [
  'Who was the first keeper of Cape Ardent?',
  'How much did the turbine cost?',
  'How old is Yuki Tanabe?',
  'What is the melting point of tungsten?',
];

const questions = new Map(answerQuestions('tuning').map((question) => [question.text, question]));
let server: TestServer;
let client: Client;
let ids: Map<string, string>;

const test = withServer();
test.beforeAll(async ({ world }) => {
  ({ server, admin: client } = world);
  const files = answerFiles('tuning').filter((file) => FILES.includes(file.name));
  ids = await uploadAnswerFiles(server.url, client.token ?? '', files);
});

describe('the built-in model', () => {
  test.each(ASKED)('answers “%s” with its source', async (text) => {
    const question = questions.get(text);
    if (question === undefined) throw new Error('the question is not in the set');
    expect(await judge(client, question, ids)).toMatchObject({ fact: true, citation: true });
  });

  test.each(REFUSED)('says that no document answers “%s”', async (text) => {
    const question = questions.get(text);
    if (question === undefined) throw new Error('the question is not in the set');
    expect(await judge(client, question, ids)).toMatchObject({ citation: true });
  });
});
