import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];

/**
 * `request.log`, made for every request and used by few: the child logger behind it (bindings to text, an object of its
 * own) comes into being with the first line. A class, since methods on a prototype cost a request nothing.
 */
class RequestLogger implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: ChildOptions | undefined;
  #made: FastifyBaseLogger | null = null;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions | undefined) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  #logger(): FastifyBaseLogger {
    const parent = this.#parent instanceof RequestLogger ? this.#parent.#logger() : this.#parent;
    this.#made ??= parent.child(this.#bindings, this.#options);
    return this.#made;
  }

  #write(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent', line: unknown[]): void {
    const logger = this.#logger();
    Reflect.apply(logger[level], logger, line);
  }

  get level(): string {
    return this.#parent.level;
  }
  get msgPrefix(): string | undefined {
    return undefined;
  }
  /** As late as itself: Fastify takes a child of its logger when it starts, and then one of that for every request. */
  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return new RequestLogger(this, bindings, options);
  }
  fatal(...line: unknown[]): void {
    this.#write('fatal', line);
  }
  error(...line: unknown[]): void {
    this.#write('error', line);
  }
  warn(...line: unknown[]): void {
    this.#write('warn', line);
  }
  info(...line: unknown[]): void {
    this.#write('info', line);
  }
  debug(...line: unknown[]): void {
    this.#write('debug', line);
  }
  trace(...line: unknown[]): void {
    this.#write('trace', line);
  }
  silent(...line: unknown[]): void {
    this.#write('silent', line);
  }
}

/**
 * The logger for Fastify, which asks it for a child at every request. By the logger's own method and not by a
 * `childLoggerFactory`, whose products Fastify inspects each time anew.
 */
export const withLazyChildren = (logger: FastifyBaseLogger): FastifyBaseLogger => {
  const own: unknown = Object.create(logger, {
    child: {
      value: (bindings: Bindings, options: ChildOptions): FastifyBaseLogger =>
        new RequestLogger(logger, bindings, options),
    },
  });
  // The prototype is the logger itself.
  return own as FastifyBaseLogger;
};
