import { parseArgs } from 'node:util';
import {
  answerFiles,
  answerQuestions,
  type Half,
  type Judged,
  judge,
  uploadAnswerFiles,
} from '../server/test/support/answer-set.ts';
import { startServer } from '../server/test/support/server.ts';

/**
 * How well the built-in model answers from documents, through the real upload and chat API of a server of its own:
 * 26 files of all types and 223 questions, 65 of which no document answers, all written for this purpose. They are kept
 * in two halves with their own documents; all documents are uploaded in both cases. What the model knows of questions
 * may be tuned on the first half; the second is only for this report.
 *
 *   node bench/answers.ts              both halves
 *   node bench/answers.ts --misses     also lists what went wrong in the tuning half (never in the other)
 *
 * An answer counts when it holds the fact and a citation names the document (and page, where the type has pages) with a
 * quote that holds the fact. An unanswerable question counts as refused when nothing is cited, or only after the words that nothing answers it. Exits with 1 when the
 * reporting half misses its aims.
 */

const AIMS = { answered: 0.75, refused: 0.9 };

const { values } = parseArgs({ options: { misses: { type: 'boolean', default: false } } });

const share = (judged: readonly Judged[], right: (one: Judged) => boolean): number =>
  judged.filter(right).length / judged.length;

const server = await startServer();
try {
  const client = await server.signIn();
  const files = [...answerFiles('tuning'), ...answerFiles('reporting')];
  const ids = await uploadAnswerFiles(server.url, client.token ?? '', files);
  const halves: Half[] = ['tuning', 'reporting'];
  for (const half of halves) {
    const judged: Judged[] = [];
    for (const question of answerQuestions(half)) judged.push(await judge(client, question, ids));
    const answerable = judged.filter((one) => one.question.document !== null);
    const others = judged.filter((one) => one.question.document === null);
    const answered = share(answerable, (one) => one.fact && one.citation);
    const refused = share(others, (one) => one.citation);
    const types = new Map<string, [right: number, all: number]>();
    for (const one of answerable) {
      const type = one.question.document?.split('.').at(-1) ?? '';
      const [right, all] = types.get(type) ?? [0, 0];
      types.set(type, [right + Number(one.fact && one.citation), all + 1]);
    }
    console.log(
      `${half.padEnd(10)} fact and citation right ${answered.toFixed(3)} of ${answerable.length} (aim ${AIMS.answered})` +
        `  fact right ${share(answerable, (one) => one.fact).toFixed(3)}` +
        `  refused ${refused.toFixed(3)} of ${others.length} (aim ${AIMS.refused})`,
    );
    console.log(
      `           ${[...types].map(([type, [right, all]]) => `${type} ${right}/${all}`).join('  ')}`,
    );
    if (half === 'reporting' && (answered < AIMS.answered || refused < AIMS.refused)) process.exitCode = 1;
    if (half === 'reporting' || !values.misses) continue;
    for (const one of judged.filter((each) => !each.fact || !each.citation))
      console.log(
        `  ${one.question.document ?? 'UNANSWERABLE'}  ${one.question.text}\n    want: ${one.question.fact}\n    ${one.agentId}: ${one.content.slice(0, 400).replaceAll('\n', ' ')}`,
      );
  }
} finally {
  await server.close();
}
