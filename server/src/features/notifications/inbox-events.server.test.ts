import { expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { openSocket } from '../../../test/support/socket-client.ts';
import { withServer } from '../../../test/support/suite.ts';

const it = withServer();

it(
  req(
    'NOTE-01',
    'what another person is told reaches no connection of an admin, as it stands in no inbox of theirs',
  ),
  async ({ world: { server, admin } }) => {
    const person = await newPerson(server, admin);
    const join = async (token: string | null) => {
      const socket = openSocket(`${server.url.replace('http', 'ws')}/v2/ws`, { token: token ?? '' });
      await socket.next('ready');
      return socket;
    };
    const [own, others] = [await join(person.token), await join(admin.token)];
    const actions = ['lamp.dim', 'lamp.light', 'lamp.swing'];
    for (const action of actions) {
      const made = await person.post('/v2/governance/proposals', { action, estimated_cost: 500 });
      expect(made.status, made.text).toBe(201);
      await own.next('notification', ({ payload }) => payload.title === `Waits for a decision: ${action}`);
      await others.next('notification', ({ payload }) => payload.title === `Decision needed: ${action}`);
    }
    const titles = (socket: typeof own): unknown[] =>
      socket.messages.filter(({ type }) => type === 'notification').map(({ payload }) => payload.title);
    expect(titles(own)).toEqual(actions.map((action) => `Waits for a decision: ${action}`));
    expect(titles(others)).toEqual(actions.map((action) => `Decision needed: ${action}`));
    own.close();
    others.close();
  },
);
