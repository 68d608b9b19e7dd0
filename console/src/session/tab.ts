/**
 * A duplicated tab inherits a copy of sessionStorage. Two tabs that use the same refresh token look like theft to the
 * provider, which then ends the session; so each living tab holds a lock under its own name, and a tab whose name is taken
 * forgets what it inherited and signs in by itself (the provider's cookie makes that silent).
 */
const KEY = 'pentarch.tab';
/** A reloaded page gets its lock as soon as the old document is gone. */
const WAIT_MS = 700;

export const ownsTab = async (): Promise<boolean> => {
  const name = sessionStorage.getItem(KEY);
  const take = (key: string, signal?: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      navigator.locks
        .request(`${KEY}.${key}`, signal === undefined ? {} : { signal }, () => {
          resolve(true);
          // Held until the document goes.
          return new Promise<void>(() => {});
        })
        .catch(() => resolve(false));
    });
  if (name !== null && (await take(name, AbortSignal.timeout(WAIT_MS)))) return true;
  const fresh = crypto.randomUUID();
  sessionStorage.setItem(KEY, fresh);
  await take(fresh);
  return name === null;
};
