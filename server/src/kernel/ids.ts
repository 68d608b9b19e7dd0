import { v7, validate } from 'uuid';

/** UUIDv7: ordered by creation time, so that `id` breaks ties in newest-first lists. */
export const newId = (): string => v7();

export const isUuid = (text: string): boolean => validate(text);
