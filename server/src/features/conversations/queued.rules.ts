/**
 * A question whose turn has not come stands behind everything else of its conversation, in the order in which such questions
 * were accepted: its time is stored with this much added (the year 17814), so that every list of the conversation is in order
 * by the index that it has. When its turn comes it gets the time of its place.
 */
export const QUEUED_FROM = 5e14;

export const isQueuedAt = (storedAt: number): boolean => storedAt >= QUEUED_FROM;

/** Epoch ms of acceptance as it is stored, and back. */
export const queuedAt = (acceptedAt: number): number => QUEUED_FROM + acceptedAt;
export const saidAt = (storedAt: number): number =>
  isQueuedAt(storedAt) ? storedAt - QUEUED_FROM : storedAt;
