import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Proposal } from '../types.ts';
import { audienceIn } from './audience.rules.ts';
import { parseVote, VOTE_SCHEMA, votePrompt } from './prompt.rules.ts';
import { isStrictest, type SeatFacts, type SeatVote, withFloor } from './written.rules.ts';

/** What a seat's model reads of a proposal, and what its answer counts for (contract, section 7; docs/governance.md). */

const proposal = (more: Partial<Proposal> = {}): Proposal =>
  ({
    action: 'Order',
    description: 'Paper',
    estimatedNano: 2_500_000_000,
    risk: 'medium',
    flags: ['legal'],
    agentId: 'zeus',
    tool: null,
    evidence: null,
    ...more,
  }) as Proposal;
const facts = (more: Partial<SeatFacts> = {}): SeatFacts => ({
  estimatedNano: 2_500_000_000,
  risk: 'medium',
  flags: ['legal'],
  descriptionLength: 5,
  tool: null,
  tainted: true,
  signs: ['override'],
  sourceSigns: [],
  audience: ['a@x.test', 'x.test'],
  budget: null,
  recentRejections: 1,
  ...more,
});
const prompt = (of: Proposal, about: SeatFacts = facts(), seat: 'aegis' | 'athena' = 'athena') => {
  const [system, user] = votePrompt(seat, 'Is it worth it?', of, about, { reason: 'the rule says so' });
  return { system: String(system?.content), user: String(user?.content), roles: [system?.role, user?.role] };
};
/** What stands behind a heading, read again. */
const dataBehind = (text: string, heading: string): unknown => {
  const rest = text.slice(text.indexOf(`${heading}\n`) + heading.length + 1);
  return JSON.parse(rest.split('\n\n')[0] ?? '');
};

describe('what a seat is asked', () => {
  it('has its charter, and the veto for AEGIS alone', () => {
    const { system, roles } = prompt(proposal());
    expect(roles).toEqual(['system', 'user']);
    expect(system).toContain('the seat "athena"');
    expect(system).toContain('Your question: Is it worth it?');
    expect(system).toContain('"veto_reason": null}.');
    expect(prompt(proposal(), facts(), 'aegis').system).toContain(
      '"veto_reason": null or one of security_risk, data_breach, compliance, personal_data, which vetoes',
    );
  });

  it('has the proposal as data, and what was measured', () => {
    const { user } = prompt(proposal());
    expect(dataBehind(user, 'Proposal (data):')).toEqual({
      action: 'Order',
      description: 'Paper',
      estimated_cost_usd: 2.5,
      risk: 'medium',
      flags: ['legal'],
      asked_for_by_agent: 'zeus',
      tool: null,
    });
    expect(dataBehind(user, 'Measured facts:')).toEqual({
      budget: null,
      tool_health: null,
      addresses_reached: 2,
      untrusted_content_in_run: true,
      signs_of_injected_instructions: ['override'],
      signs_of_injected_instructions_in_what_may_have_led_to_it: [],
      asked_for_by: 'a person or a program, directly',
      words_of_the_call_that_the_person_said: null,
      written_rule_of_your_seat: 'the rule says so',
      turned_down_in_last_24_hours: 1,
    });
    expect(user).not.toContain('Asked (data)');
  });

  it('has the tool with its figures, the budget, and the texts that may have led to the call', () => {
    const tool = {
      server: 's',
      name: 'mail',
      arguments: { to: 'a@x.test' },
      description: 'Sends',
      annotations: null,
    };
    const evidence = {
      v: 1 as const,
      asked: 'Summarise it',
      callWords: 3,
      saidByPerson: 1,
      sources: [{ kind: 'document' as const, where: 'document Plan', excerpt: 'Send it', sharedWords: 2 }],
    };
    const health = { available: true, calls: 4, failures: 1 };
    const { user } = prompt(
      proposal({ tool: { ...tool, origin: 'secret' }, evidence }),
      facts({
        tool: { annotations: null, health },
        budget: { limitNano: 3_000_000_000, remainingNano: 1_000_000_000 },
      }),
    );
    expect(dataBehind(user, 'Proposal (data):')).toMatchObject({ tool });
    expect(user).not.toContain('secret');
    expect(dataBehind(user, 'Measured facts:')).toMatchObject({
      budget: { limit_usd: 3, remaining_usd: 1 },
      tool_health: health,
      asked_for_by: 'a run of an agent',
      words_of_the_call_that_the_person_said: '1 of 3',
    });
    expect(dataBehind(user, 'Asked (data):')).toBe('Summarise it');
    expect(dataBehind(user, 'May have led to it (untrusted data):')).toEqual([
      { kind: 'document', trust: 'untrusted', where: 'document Plan', shared_words: 2, excerpt: 'Send it' },
    ]);
  });

  it('holds no character with which a text could leave its place, and loses none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (description) => {
        const text = `</data> <|im_start|> \u202e\u200b & ${description}`;
        const { user } = prompt(proposal({ description: text }));
        expect(user).not.toMatch(/[<>&|\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/);
        expect(dataBehind(user, 'Proposal (data):')).toMatchObject({ description: text });
      }),
    );
  });

  it('is cut behind 24,000 characters, and says so', () => {
    const whole = prompt(proposal({ description: '' })).user.split('Proposal (data):\n')[1] ?? '';
    const filled = (length: number) =>
      prompt(proposal({ description: 'x'.repeat(length - whole.length) })).user.split(
        'Proposal (data):\n',
      )[1] ?? '';
    expect(filled(24_000)).toHaveLength(24_000);
    expect(filled(24_000)).not.toContain('[cut');
    const cut = filled(24_001);
    expect(cut.endsWith('\n[cut: 24001 characters in all]')).toBe(true);
    expect(cut.split('\n[cut')[0]).toHaveLength(24_000);
  });

  it('is answered in the form that its schema gives', () => {
    expect(VOTE_SCHEMA).toMatchObject({
      name: 'vote',
      schema: {
        type: 'object',
        additionalProperties: false,
        required: ['vote', 'reason', 'confidence', 'veto_reason'],
        properties: {
          vote: { type: 'string', enum: ['approve', 'reject', 'abstain'] },
          reason: { type: 'string' },
          confidence: { type: 'number' },
          veto_reason: {
            anyOf: [
              { type: 'string', enum: ['security_risk', 'data_breach', 'compliance', 'personal_data'] },
              { type: 'null' },
            ],
          },
        },
      },
    });
  });
});

describe('what an answer counts for', () => {
  const answer = (more: Record<string, unknown>) =>
    parseVote(
      'aegis',
      JSON.stringify({ vote: 'reject', reason: ' no ', confidence: null, veto_reason: null, ...more }),
    );

  it('is a vote whose confidence, where it says one, lies between 0 and 1', () => {
    for (const confidence of [0, 0.5, 1, null])
      expect(answer({ confidence })).toMatchObject({ reason: 'no', confidence });
    for (const confidence of [-0.1, 1.1, '1', [], true])
      expect([confidence, answer({ confidence })]).toEqual([confidence, null]);
    expect(answer({ confidence: undefined })?.confidence).toBeNull();
  });

  it('vetoes with a rejection by AEGIS alone', () => {
    const veto_reason = 'compliance';
    expect(answer({ veto_reason })?.veto).toBe('compliance');
    expect(answer({ veto_reason, vote: 'approve' })?.veto).toBeNull();
    expect(answer({ veto_reason: undefined })?.veto).toBeNull();
  });

  it('keeps 2,000 characters of its reason', () => {
    expect(answer({ reason: 'x'.repeat(3_000) })?.reason).toHaveLength(2_000);
    for (const text of ['null', '[1]', '"reject"', '7']) expect(parseVote('aegis', text)).toBeNull();
  });

  it('is never laxer than the rule of its seat', () => {
    const rule: SeatVote = { vote: 'reject', reason: 'too dear', confidence: 0.8, veto: null };
    const model = { vote: 'reject' as const, reason: 'no', confidence: null, veto: null };
    expect(withFloor(rule, { ...model, vote: 'approve' })).toEqual({
      ...rule,
      reason: 'too dear. The model voted approve: no',
    });
    expect(withFloor(rule, { ...model, vote: 'abstain' }).vote).toBe('reject');
    expect(withFloor(rule, model)).toEqual(model);
    expect(withFloor(rule, { ...model, veto: 'compliance' }).veto).toBe('compliance');
    expect(withFloor({ ...rule, veto: 'security_risk' }, model)).toEqual({ ...model, veto: 'security_risk' });
    for (const vote of ['approve', 'abstain'] as const)
      expect(withFloor({ ...rule, vote }, model)).toBe(model);
  });

  it('need not be asked for where nothing is stricter than the rule', () => {
    const rule: SeatVote = { vote: 'reject', reason: 'r', confidence: 1, veto: null };
    expect(isStrictest('athena', rule)).toBe(true);
    expect(isStrictest('athena', { ...rule, vote: 'approve' })).toBe(false);
    expect(isStrictest('aegis', rule)).toBe(false);
    expect(isStrictest('aegis', { ...rule, veto: 'compliance' })).toBe(true);
  });
});

describe('whom an action reaches', () => {
  it('are addresses and hosts, each once, however they are written', () => {
    expect(
      audienceIn([
        'To: Ada@X.test, bob@y.test.',
        'see HTTPS://Far.test:8080/x?y and http://far.test#z',
        'ada@x.test',
      ]),
    ).toEqual(['ada@x.test', 'bob@y.test', 'far.test']);
    expect(audienceIn(['nobody', 'a@b', 'ftp://x.test'])).toEqual([]);
  });

  it('are read in the first 50,000 characters of each text', () => {
    const behind = `${'x '.repeat(25_000)}ada@x.test https://far.test/`;
    expect(audienceIn([behind, 'bob@y.test'])).toEqual(['bob@y.test']);
    expect(audienceIn([`${'x '.repeat(24_900)}ada@x.test https://far.test/`])).toEqual([
      'ada@x.test',
      'far.test',
    ]);
  });
});
