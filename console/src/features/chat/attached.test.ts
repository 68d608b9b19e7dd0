import { describe, expect, it } from 'vitest';
import { writtenOf } from './attached.ts';

const question = { content: 'What does it say?', attachments: [], metadata: {} };

describe('a question with documents', () => {
  it('has them beside its text', () => {
    const attachments = [{ document_id: 'a', title: 'Lease' }];
    const files = [{ documentId: 'a', name: 'Lease' }];
    expect(writtenOf({ ...question, attachments })).toEqual({ text: question.content, files });
    const text = `${question.content}\n\nAttached: by hand`;
    expect(writtenOf({ ...question, content: text, attachments })).toEqual({ text, files });
  });
  it('of an earlier version has them in its last line, which is no part of what was written', () => {
    const content = `${question.content}\n\nAttached: lease.pdf`;
    const metadata = { attached_documents: ['a'] };
    const files = [{ documentId: 'a', name: 'lease.pdf' }];
    expect(writtenOf({ ...question, content, metadata })).toEqual({ text: question.content, files });
  });
  it('without any is its text', () =>
    expect(writtenOf(question)).toEqual({ text: question.content, files: [] }));
});
