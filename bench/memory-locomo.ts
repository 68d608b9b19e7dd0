import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createBuiltinEmbedder } from '../server/src/adapters/embeddings/builtin.ts';
import { openSqlite } from '../server/src/db/open.ts';
import { createMemory } from '../server/src/features/memory/index.ts';
import { nodeOf } from '../server/test/support/cluster.ts';
import { callerOf } from '../server/test/support/memory.ts';

/**
 * Recall of evidence on LoCoMo (Maharana et al., ACL 2024; CC BY-NC 4.0, not part of this repository): each speaker of a
 * conversation is a person who writes their turns, with the built-in embeddings and no model. A question counts when
 * recall, asked for as many facts as a prompt gets, holds one that was taken from a turn that answers it.
 *
 *   node bench/memory-locomo.ts FOLDER [--half seen|kept] [--misses]
 *
 * FOLDER holds one JSON file for each conversation. The first half by name may be looked at when rules are changed;
 * `--misses` lists only from it.
 */
const FACTS_OF_A_PROMPT = 6;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { half: { type: 'string' }, misses: { type: 'boolean', default: false } },
});

interface Turn {
  speaker: string;
  dia_id: string;
  text: string;
}
interface Question {
  question: string;
  evidence: string[];
  category: number;
}
type Conversation = Record<string, unknown> & { qa: Question[] };

const KINDS = ['', 'several turns', 'time', 'inference', 'one turn', 'not answerable'];
const folder = positionals[0] ?? '.';
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort();
const half = Math.ceil(files.length / 2);
const store = mkdtempSync(path.join(tmpdir(), 'pentarch-locomo-'));
const embedder = createBuiltinEmbedder();

const turnsOf = (conversation: Conversation): Turn[] =>
  Object.entries(conversation)
    .filter(([name]) => /^session_\d+$/.test(name))
    .sort(([a], [b]) => Number(a.slice(8)) - Number(b.slice(8)))
    .flatMap(([, turns]) => turns as Turn[]);

const measure = async (name: string, conversations: readonly string[]): Promise<void> => {
  const counts = new Map<number, { asked: number; found: number }>();
  let told = 0;
  let kept = 0;
  for (const file of conversations) {
    const conversation = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Conversation;
    const db = await openSqlite({ file: path.join(store, `${name}-${file}.sqlite`), synchronous: 'normal' });
    let now = Date.parse('2026-03-01T10:00:00Z');
    const memory = createMemory({
      db,
      cluster: nodeOf(db),
      clock: { now: () => now++ },
      embedder: { ...embedder, embed: (_payer, texts) => embedder.embed(texts) },
    });
    const turns = turnsOf(conversation);
    const speakerOf = new Map(turns.map((turn) => [turn.dia_id, turn.speaker]));
    for (const turn of turns) {
      told += 1;
      const { added } = await memory.observeTurn({
        caller: { ...callerOf(turn.speaker), name: turn.speaker },
        conversationId: 'c',
        messageId: turn.dia_id,
        text: turn.text,
      });
      if (added > 0) kept += 1;
    }
    for (const { question, evidence, category } of conversation.qa) {
      const asked = evidence.map((id) => speakerOf.get(id)).find((speaker) => speaker !== undefined);
      if (asked === undefined || category === 5) continue;
      const facts = await memory.recall({ tenantId: 't1', userId: asked }, question, FACTS_OF_A_PROMPT);
      const found = facts.some((fact) => evidence.includes(fact.source?.messageId ?? ''));
      const count = counts.get(category) ?? { asked: 0, found: 0 };
      counts.set(category, { asked: count.asked + 1, found: count.found + (found ? 1 : 0) });
      if (!found && values.misses && name === 'seen')
        console.log(
          `  ${question}\n    said: ${turns.find(({ dia_id }) => dia_id === evidence[0])?.text ?? ''}\n    ${facts
            .slice(0, 2)
            .map((fact) => fact.text)
            .join(' | ')}`,
        );
    }
    await db.close();
  }
  const all = [...counts.values()].reduce(
    (sum, one) => ({ asked: sum.asked + one.asked, found: sum.found + one.found }),
    { asked: 0, found: 0 },
  );
  console.log(
    `${name}: ${conversations.length} conversations, something kept of ${kept} of ${told} turns; evidence among ${FACTS_OF_A_PROMPT} facts ${(all.found / all.asked).toFixed(3)} of ${all.asked}`,
  );
  for (const [category, { asked, found }] of [...counts].sort(([a], [b]) => a - b))
    console.log(`  ${(KINDS[category] ?? '').padEnd(14)} ${(found / asked).toFixed(3)} of ${asked}`);
};

try {
  if (values.half !== 'kept') await measure('seen', files.slice(0, half));
  if (values.half !== 'seen') await measure('kept', files.slice(half));
} finally {
  await embedder.close();
  rmSync(store, { recursive: true });
}
