import type { Db } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { AGENT_IDS } from '../agents/index.ts';
import type { ChatService } from '../chat/index.ts';
import type { Models } from '../models/index.ts';
import { createTaskChat } from './chat-runs.ts';
import { taskRoutes } from './routes.ts';
import { createTasks } from './service.ts';
import { taskTools } from './tools.ts';

export interface TasksDeps extends Pick<Given, 'clock' | 'onError'> {
  chat: Pick<ChatService, 'launch' | 'cancel' | 'getRun' | 'follow'>;
  config: { AGENT_TASKS_PER_HOUR: number; TASK_CONCURRENCY: number; TASKS_PER_TENANT: number };
  db: Db;
  identity: { callerFor: CallerFor };
  jobs: Jobs;
  models: Pick<Models, 'resolve'>;
}

const MAX_EXPORTED = 10_000;
const DUE_EVERY_MS = 1_000;
const WAITING_EVERY_MS = 3_000;

export const tasksModule = defineModule({
  name: 'tasks',
  needs: ['chat', 'clock', 'config', 'db', 'identity', 'jobs', 'models', 'onError'],
  build({ chat, config, identity, models, ...deps }: TasksDeps) {
    const tasks = createTasks({
      ...deps,
      chat: createTaskChat(chat),
      callerOf: identity.callerFor,
      agentExists: (_tenantId, agentId) => Promise.resolve(AGENT_IDS.includes(agentId)),
      checkModel: (modelId, field) => void models.resolve(modelId, field),
      concurrency: config.TASK_CONCURRENCY,
      perTenant: config.TASKS_PER_TENANT,
      agentTasksPerHour: config.AGENT_TASKS_PER_HOUR,
    });
    return {
      service: tasks,
      routes: taskRoutes(tasks),
      tools: [taskTools(tasks)],
      personalData: [{ name: 'tasks', ...tasks.personalData(MAX_EXPORTED) }],
      tickers: [
        { everyMs: DUE_EVERY_MS, fault: 'due tasks could not be looked for', tick: () => tasks.tick() },
        {
          everyMs: WAITING_EVERY_MS,
          fault: 'waiting tasks could not be looked at',
          tick: () => tasks.tickWaiting(),
        },
      ],
    };
  },
});
