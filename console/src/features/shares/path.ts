/** Where a shared conversation is shown; its token stands behind `#`, which a browser sends to no server. */
export const SHARE_PATH = '/share';

export const tokenIn = (hash: string): string => hash.slice(1);
