/** The methods of one version of ACP, for one client. */
import type { Asked } from "../connection/peer.js";

export type Door = {
  request(asked: Asked): unknown;
  notification(method: string, params: unknown): void;
  /** Ends every session of the connection: a client that is gone has cancelled. */
  close(): Promise<void>;
};
