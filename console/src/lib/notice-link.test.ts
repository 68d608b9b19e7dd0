import { describe, expect, it } from 'vitest';
import { noticeLinkOf } from './notice-link.ts';

describe('a notification', () => {
  it.each([
    [{ event: 'proposal.updated', id: 'p' }, '/governance', { proposal: 'p' }],
    [{ event: 'task.failed', task_id: 't', task_run_id: 'r' }, '/tasks', { task: 't' }],
    [{ event: 'cost.alert' }, '/costs', {}],
    [{ event: 'document.indexed', document_id: 'd' }, '/knowledge/d', {}],
    [{ event: 'webhook.disabled', id: 'w' }, '/admin', { tab: 'webhooks' }],
    [{ agent_id: 'iris', conversation_id: 'c', run_id: 'r' }, '/chat', { c: 'c' }],
  ])('of %o leads to %s', (data, to, search) => {
    expect(noticeLinkOf({ data })).toEqual({ to, search });
  });
  it('of nothing that stands anywhere leads nowhere', () => {
    expect(noticeLinkOf({ data: { agent_id: 'iris', conversation_id: null } })).toBeNull();
    expect(noticeLinkOf({ data: {} })).toBeNull();
  });
});
