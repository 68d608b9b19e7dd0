export { costNote, createdS, extensionOf, handedCallsOf, waitingNote, withNote } from './answer.ts';
export {
  createDoor,
  type DoorOptions,
  type DoorRequest,
  type DoorWire,
  type FrameWriter,
} from './door.ts';
export { readSchema } from './format.ts';

export { readImage } from './pictures.rules.ts';
export { refusal } from './refusal.rules.ts';
export { type CompletionInput, readCompletion } from './request.rules.ts';

export { errorOf, idOf } from './run-event.rules.ts';
export { Extension } from './schema.ts';
