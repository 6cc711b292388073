/**
 * Where a host leads, as far as its name or address shows. A name can be made to point anywhere: the code that
 * connects checks the resolved address again, and connects to that address and no other.
 */
import { checkOptions, required, STRING } from "../../call/check-options.js";
import { addressReach } from "./address-reach.js";
import type { Reach } from "./address-reach.js";

/** `host` as URL writes it, or an address as a resolver gives it, without brackets and with a zone. */
export function hostReach(host: string): Reach {
  if (typeof host !== "string") checkOptions("hostReach", { host }, { host: required(STRING) });
  const bare = host.replace(/%.*$/s, "");
  const written = bare.includes(":") && !bare.startsWith("[") ? `[${bare}]` : bare;
  const read = normalised(written);
  // An invalid host leads nowhere that is known to be public.
  if (read === undefined) return "reserved";
  return addressReach(read) ?? nameReach(withoutEndDots(read));
}

/** The host as URL writes it: lower case, in ASCII, addresses in their one form. Undefined when it is no host. */
export function normalised(host: string): string | undefined {
  if (/[/\\?#@]/.test(host)) return undefined;
  try {
    return new URL(`http://${host}/`).hostname || undefined;
  } catch {
    return undefined;
  }
}

/** Not a regular expression: /\.+$/ takes quadratic time on a host full of dots. */
export function withoutEndDots(host: string): string {
  let end = host.length;
  while (host.charAt(end - 1) === ".") end -= 1;
  return host.slice(0, end);
}

function nameReach(name: string): Reach {
  if (METADATA.has(name)) return "metadata";
  const labels = name.split(".");
  if (labels.at(-1) === "localhost" || LOOPBACK.has(name)) return "loopback";
  // One label is looked up in the local network's own domain.
  if (labels.length === 1 || LOCAL_ENDS.has(labels.at(-1) ?? "")) return "private";
  const lastTwo = labels.slice(-2).join(".");
  return lastTwo === "home.arpa" || ANY_ADDRESS.has(lastTwo) ? "private" : "public";
}

const METADATA = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "instance-data",
  "instance-data.ec2.internal",
]);
const LOOPBACK = new Set(["localhost.localdomain", "ip6-localhost", "ip6-loopback"]);
const LOCAL_ENDS = new Set(["local", "internal", "lan", "home", "corp", "intranet", "localdomain", "svc"]);

/** Public names whose answer is the address that stands in the name, or always the machine itself. */
const ANY_ADDRESS = new Set(["nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me"]);
