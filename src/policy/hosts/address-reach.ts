/**
 * Where an IP address leads. Only what is known to be public counts as public: IPv4 minus the special
 * ranges of the IANA registry, and of IPv6 nothing but 2000::/3 minus its own.
 */
export type Reach = "public" | "loopback" | "private" | "link-local" | "metadata" | "reserved";

/** `host` as URL writes it: dotted IPv4, or IPv6 in brackets. None when it is a name. */
export function addressReach(host: string): Reach | undefined {
  if (isIpv4(host)) return ipv4Reach(host);
  const address = ipv6Number(host);
  if (address === undefined) return undefined;
  const inner = embeddedIpv4(host);
  if (inner !== undefined) return ipv4Reach(inner);
  const found = IPV6.find(([start, bits]) => sameStart(address, start, bits));
  if (found) return found[2];
  return sameStart(address, 0x2000n << 112n, 3) ? "public" : "reserved";
}

/** The IPv4 address that an IPv6 address is a wrapping of: mapped, compatible, NAT64, 6to4 or Teredo. */
export function embeddedIpv4(host: string): string | undefined {
  const address = ipv6Number(host);
  if (address === undefined || address <= 1n) return undefined;
  const prefix = address >> 32n;
  if (WRAPPINGS.has(prefix)) return dotted(address);
  if (address >> 112n === 0x2002n) return dotted(address >> 80n);
  if (address >> 96n === 0x20010000n) return dotted(~address);
  return undefined;
}

// The last is the address that some systems give to "this host, translated".
const WRAPPINGS = new Set([0n, 0xffffn, 0x64ff9bn << 64n, 0xffff0000n]);

const IPV4: readonly (readonly [string, number, Reach])[] = [
  ["169.254.169.254", 32, "metadata"],
  ["169.254.170.2", 32, "metadata"],
  ["169.254.170.23", 32, "metadata"],
  ["100.100.100.200", 32, "metadata"],
  ["192.0.0.192", 32, "metadata"],
  ["168.63.129.16", 32, "metadata"],
  // Linux connects 0.0.0.0 to the machine itself.
  ["0.0.0.0", 8, "loopback"],
  ["127.0.0.0", 8, "loopback"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["172.16.0.0", 12, "private"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "private"],
  ["169.254.0.0", 16, "link-local"],
  ["192.0.0.0", 24, "reserved"],
  ["192.0.2.0", 24, "reserved"],
  ["192.88.99.0", 24, "reserved"],
  ["198.51.100.0", 24, "reserved"],
  ["203.0.113.0", 24, "reserved"],
  ["224.0.0.0", 3, "reserved"],
];

const IPV6: readonly (readonly [bigint, number, Reach])[] = [
  [(0xfd000ec2n << 96n) | 0x254n, 128, "metadata"],
  [(0xfd2000cen << 96n) | 0x254n, 128, "metadata"],
  [0n, 127, "loopback"],
  [0xfc00n << 112n, 7, "private"],
  [0xfec0n << 112n, 10, "private"],
  [0xfe80n << 112n, 10, "link-local"],
  [0x20010000n << 96n, 23, "reserved"],
  [0x20010db8n << 96n, 32, "reserved"],
  [0x3fff0000n << 96n, 20, "reserved"],
];

function ipv4Reach(host: string): Reach {
  const address = ipv4Number(host);
  const found = IPV4.find(([start, bits]) => (address ^ ipv4Number(start)) >> BigInt(32 - bits) === 0n);
  return found?.[2] ?? "public";
}

const isIpv4 = (host: string) => /^\d+\.\d+\.\d+\.\d+$/.test(host);
const ipv4Number = (host: string) => host.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
const sameStart = (one: bigint, other: bigint, bits: number) => (one ^ other) >> BigInt(128 - bits) === 0n;

/** URL writes at most one "::", lower case, and never the dotted form. */
function ipv6Number(host: string): bigint | undefined {
  if (!host.startsWith("[")) return undefined;
  const [head = "", tail] = host.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function dotted(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
}
