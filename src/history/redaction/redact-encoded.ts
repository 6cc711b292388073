/**
 * Secrets inside of base64: `kubectl get secret -o yaml`, `base64 .env`, the `auth` of a Docker configuration.
 *
 * Each run of base64 is decoded once, so the time is linear.
 */

/** Lines of 60 to 76 characters, as `base64` and PEM break them, and the end of the last one. */
const RUN = /(?<![\w+/-])(?:(?:[A-Za-z\d+/]{60,76}\r?\n)+[\w+/-]{1,76}|[\w+/-]{22,})={0,2}(?![\w+/-])/gu;
const RUN_AT_END = /[\w+/-]{12,}={0,2}$/u;
const MARK = "[redacted encoded secret]";

/** `hasSecret`: whether the decoded text has one. */
export function redactEncoded(text: string, hasSecret: (plain: string) => boolean): string {
  return text.replace(RUN, (run) => {
    const plain = decoded(run);
    return plain !== undefined && hasSecret(plain) ? MARK : run;
  });
}

/** Whether the end of a text may become such a run. */
export const mayBecomeEncoded = (text: string): boolean => RUN_AT_END.test(text);

/** Undefined for data that is no text: an image, a path, a name of many words. */
function decoded(run: string): string | undefined {
  // Without its end, to see early that there is no text.
  return isText(bytesOf(run.slice(0, 44))) ? bytesOf(run).toString("utf8") : undefined;
}

const bytesOf = (run: string): Buffer => Buffer.from(run, "base64");

const isText = (bytes: Buffer): boolean =>
  bytes.every((byte) => (byte >= 0x20 ? byte !== 0x7f : byte > 8 && byte < 14));
