/** The release of the command line; that of the server it came with. */
export const VERSION = '2.0.0';
