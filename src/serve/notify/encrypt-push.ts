/** Encrypts a push message for one browser (RFC 8291, RFC 8188): the push service in between cannot read it. */
import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

/** The keys that a browser gives with its subscription, in base64url. */
export type PushKeys = { readonly p256dh: string; readonly auth: string };

/** New for each message; given only by tests. */
export type PushSecrets = { readonly salt: Uint8Array; readonly privateKey: Uint8Array };

const RECORD_BYTES = 4_096;
const LAST_RECORD = 2;

export function encryptPush(text: string, { p256dh, auth }: PushKeys, secrets?: PushSecrets): Uint8Array {
  const [browserKey, authSecret] = [Buffer.from(p256dh, "base64url"), Buffer.from(auth, "base64url")];
  const own = createECDH("prime256v1");
  if (secrets) own.setPrivateKey(secrets.privateKey);
  else own.generateKeys();
  const ownKey = own.getPublicKey();
  const salt = secrets?.salt ?? randomBytes(16);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browserKey, ownKey]);
  const shared = Buffer.from(hkdfSync("sha256", own.computeSecret(browserKey), authSecret, info, 32));
  const derive = (name: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", shared, salt, Buffer.from(`Content-Encoding: ${name}\0`), bytes));
  const cipher = createCipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  const encrypted = [cipher.update(text, "utf8"), cipher.update(Uint8Array.of(LAST_RECORD)), cipher.final()];
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  const header = [salt, size, Uint8Array.of(ownKey.length), ownKey];
  return Buffer.concat([...header, ...encrypted, cipher.getAuthTag()]);
}
