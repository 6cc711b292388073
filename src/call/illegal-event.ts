/** An event that is illegal in the current state: a bug in the sender, never a user's mistake. */
export class IllegalEvent extends Error {
  readonly code = "ILLEGAL_EVENT";

  constructor(
    readonly subject: string,
    readonly eventType: string,
    why: string,
  ) {
    super(`${subject} ${why} and cannot take "${eventType}". Nothing was changed.`);
    this.name = "IllegalEvent";
  }
}
