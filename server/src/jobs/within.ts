/** How long an aborted handler may take to leave off before the process goes on without it. */
export const ABORT_GRACE_MS = 5_000;

/** Waits for `work`, but no longer than `limitMs`. */
export const within = async (work: Promise<unknown>, limitMs: number): Promise<void> => {
  let late: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      late = setTimeout(resolve, limitMs);
    }),
  ]);
  clearTimeout(late);
};
