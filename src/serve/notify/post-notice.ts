/** Sends one request of a notifier. Its errors name the host only: an address may be a secret of its own. */
const TIMEOUT_MS = 10_000;

export type NoticeRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

export class NotSent extends Error {
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }

  /** A second attempt may work: the service was not reached, was busy, or failed. */
  get isPassing(): boolean {
    return this.status === undefined || this.status === 429 || this.status >= 500;
  }
}

/** Throws a NotSent unless the service took it. Redirects are not followed: they may lead to another host. */
export async function postNotice({ url, headers, body }: NoticeRequest): Promise<void> {
  const { host } = new URL(url);
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : new Uint8Array(body),
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    throw new NotSent(`${host} ${isLate ? "did not answer in time" : "cannot be reached"}`);
  });
  await response.body?.cancel();
  if (!response.ok) throw new NotSent(`${host} answered with status ${response.status}`, response.status);
}
