/**
 * PostgreSQL's ways to say that it does not take this now (SQLSTATE, appendix A of its manual), which pass without a change
 * of the statement: the connection (08), want of resources, a full disk (53), a server that stops, starts or recovers (57P), an
 * error of its disk (58030), a server that only reads for now, as after a failover or with a managed disk that is full (25006), and
 * sessions that it has ended for their time (25P03, 25P04).
 */
const NOT_NOW = /^(08\w{3}|53\w{3}|57P0\w|58030|25006|25P0[34])$/;
/** The transaction was ended for the sake of another one (serialisation, deadlock): nothing of it stands. */
const SACRIFICED = /^(40001|40P01)$/;
/** What the driver says without a code, of a connection that broke or that could not be made. */
const BROKEN =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout/i;

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';

export const isPostgresSacrifice = (error: Error): boolean => SACRIFICED.test(codeOf(error));

export const isPostgresAway = (error: Error): boolean =>
  isPostgresSacrifice(error) || NOT_NOW.test(codeOf(error)) || BROKEN.test(error.message);
