/** Why a process cannot start on this store, in words for its operator; no fault of the program. */
export class StartRefused extends Error {}
