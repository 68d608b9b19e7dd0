export { costNote, extensionOf, handedCallsOf, waitingNote, withNote } from './answer.ts';
export {
  createDoor,
  type Door,
  type DoorOptions,
  type DoorRequest,
  type DoorWire,
  type FrameWriter,
} from './door.ts';
export { readSchema } from './format.ts';
export type { OpenAiDoorOptions } from './options.ts';
export { refusal } from './refusal.rules.ts';
export { type CompletionInput, readCompletion } from './request.rules.ts';
export { openAiRoutes } from './routes.ts';
export { errorOf, idOf } from './run-event.rules.ts';
export { Extension } from './schema.ts';
