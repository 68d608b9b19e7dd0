import { AppError } from '../../kernel/errors.ts';

/** RFC 7644, table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

export const badRequest = (scimType: ScimType, detail: string): AppError =>
  new AppError('VALIDATION_ERROR', detail, { details: { scim_type: scimType } });

export const taken = (detail: string): AppError =>
  new AppError('CONFLICT', detail, { details: { scim_type: 'uniqueness' } });

export const changedMeanwhile = (): AppError =>
  new AppError('CONFLICT', 'the resource is of another version than If-Match says', {
    details: { precondition: true },
  });
