/** Whether a request brings the key. Takes the same time however much of the key is right. */
import { createHash, timingSafeEqual } from "node:crypto";

export function hasKey(request: Request, apiKey: string): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(apiKey));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
