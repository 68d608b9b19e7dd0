/** The most characters of one message that the setting MAX_MESSAGE_CHARS allows, and its default. */
export const MAX_MESSAGE_CHARACTERS = 262_144;
