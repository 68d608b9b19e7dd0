import { CLOSE } from './rules.ts';

/** What a connection needs of its socket. */
export interface Socket {
  readonly bufferedAmount: number;
  /** Always as text: without the option bytes would go out as a binary message. */
  send(data: string | Buffer, options: { binary: false }): void;
  close(code: number, reason: string): void;
  terminate(): void;
  ping(): void;
}

/** Everything that goes out of one socket, and its end. */
export interface SocketWriter {
  readonly closed: boolean;
  readonly waitingBytes: number;
  /** Ends a peer that reads too slowly; silent after the end. */
  send(data: string | Buffer): void;
  ping(): void;
  end(code: number, reason: string): void;
  /** Ends without a word, for a peer that no longer answers. */
  cut(): void;
  /** After the socket has gone. */
  gone(): void;
}

const MAX_WAITING_BYTES = 1024 * 1024;
/** A close frame waits behind what is buffered; after this the socket is cut. */
const CLOSE_LIMIT_MS = 10_000;

/** `onEnd` runs before the close frame, and again when the socket has gone. */
export const createSocketWriter = (socket: Socket, onEnd: () => void): SocketWriter => {
  let closed = false;
  let cutTimer: NodeJS.Timeout | undefined;

  const end = (code: number, reason: string): void => {
    if (closed) return;
    closed = true;
    onEnd();
    socket.close(code, reason);
    cutTimer = setTimeout(() => socket.terminate(), CLOSE_LIMIT_MS);
    cutTimer.unref();
  };

  return {
    get closed() {
      return closed;
    },
    get waitingBytes() {
      return socket.bufferedAmount;
    },
    send(data) {
      if (closed) return;
      if (socket.bufferedAmount > MAX_WAITING_BYTES) return end(CLOSE.tooSlow, 'reading too slowly');
      socket.send(data, { binary: false });
    },
    ping: () => socket.ping(),
    end,
    cut() {
      closed = true;
      socket.terminate();
    },
    gone() {
      closed = true;
      clearTimeout(cutTimer);
      onEnd();
    },
  };
};
