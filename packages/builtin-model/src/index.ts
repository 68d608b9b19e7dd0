export { createBuiltinModel } from './builtin.ts';
export { type BuiltinModel, NoAnswer } from './port.ts';
