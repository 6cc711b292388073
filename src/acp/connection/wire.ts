/** A connection as the peer sees it: messages out, messages in, in order. How they travel is the wire's own affair. */
import type { Incoming } from "./message.js";

export type Wire = {
  /** Sends a message. Throws only when it cannot be written as JSON; a message to a side that is gone is lost. */
  send(message: object): void;
  /** Sends a message that is written as JSON already, on a wire that carries text. */
  sendText?(text: string): void;
  /** Characters that were sent and not yet taken. */
  readonly unsent: number;
  /** Resolves when everything sent so far was taken, or the other side is gone. */
  drained(): Promise<void>;
  /** Passes each incoming message to the listener, in order. Returns when the input has ended. */
  listen(listener: WireListener): Promise<void>;
  /** Ends both directions, after all queued messages are sent. */
  close(): Promise<void>;
};

export type WireListener = {
  message(message: Incoming): void;
  /** Input that is no message: the reason, and the error code of our response. */
  unreadable(code: number, why: string): void;
};
