/** A question that waits, as it leaves this machine: its id, its redacted title, and a link that carries no key. */
export type Notice = { readonly questionId: string; readonly title: string; readonly url: string };

/** A way to reach a person who does not look at the page. */
export type Notifier = {
  /** For the list in the page: `ntfy at push.example`. Names no secret. */
  readonly name: string;
  readonly send: (notice: Notice) => Promise<void>;
};

export const HEADLINE = "Toolgate: an agent waits for your answer";
