/**
 * The reason of an abort when the client of a turn is gone: nobody has cancelled anything. Calls that run are ended; the
 * turn parks, and its questions stay open for another client.
 */
export class ClientGone extends Error {
  readonly code = "CLIENT_GONE";

  constructor() {
    super("the client went away.");
    this.name = "ClientGone";
  }
}
