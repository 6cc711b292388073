/** The keys that tell push services which server sends (VAPID, RFC 8292). They are made here and stay here. */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";

/** A key of the curve P-256 in base64url: both coordinates, and the secret number. */
export type VapidKeys = { readonly x: string; readonly y: string; readonly d: string };

/** Push services take at most a day. */
const LIFETIME_S = 12 * 60 * 60;

export function newVapidKeys(): VapidKeys {
  const { x, y, d } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
  if (x === undefined || y === undefined || d === undefined) throw new Error("No key was made.");
  return { x, y, d };
}

/** The public key in the browsers' form: one uncompressed point. */
export const publicVapidKey = ({ x, y }: VapidKeys): string =>
  Buffer.concat([Uint8Array.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString(
    "base64url",
  );

export type VapidClaims = {
  readonly endpoint: string;
  /** A way to reach the sender, as the push services ask for. */
  readonly contact: string;
  readonly nowMs: number;
};

export function vapidHeader(keys: VapidKeys, { endpoint, contact, nowMs }: VapidClaims): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(nowMs / 1_000) + LIFETIME_S,
    sub: contact,
  };
  const encoded = [{ typ: "JWT", alg: "ES256" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const key = createPrivateKey({ key: { kty: "EC", crv: "P-256", ...keys }, format: "jwk" });
  const signature = sign("sha256", Buffer.from(encoded.join(".")), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${encoded.join(".")}.${signature.toString("base64url")}, k=${publicVapidKey(keys)}`;
}
