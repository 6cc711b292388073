import { BlockList } from "node:net";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { embeddedIpv4 } from "./address-reach.js";
import type { Reach } from "./address-reach.js";
import { hostReach } from "./host-reach.js";

test.each<[string, Reach]>([
  ["example.com", "public"],
  ["8.8.8.8", "public"],
  ["[2606:4700::1111]", "public"],
  ["2606:4700::1111", "public"],
  ["localhost", "loopback"],
  ["LOCALHOST.", "loopback"],
  ["app.localhost", "loopback"],
  ["127.0.0.1", "loopback"],
  ["127.255.0.9", "loopback"],
  ["0.0.0.0", "loopback"],
  ["0x7f.1", "loopback"],
  ["2130706433", "loopback"],
  ["[::1]", "loopback"],
  ["::1", "loopback"],
  ["::", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["[::ffff:7f00:1]", "loopback"],
  ["::127.0.0.1", "loopback"],
  ["64:ff9b::7f00:1", "loopback"],
  ["2002:7f00:1::", "loopback"],
  ["2001:0:1:2:3:4:80ff:fffe", "loopback"],
  ["10.1.2.3", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.1", "public"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "private"],
  ["100.128.0.1", "public"],
  ["fd00::1", "private"],
  ["::ffff:10.0.0.1", "private"],
  ["::ffff:8.8.8.8", "public"],
  ["intranet", "private"],
  ["printer.local", "private"],
  ["db.internal", "private"],
  ["router.home.arpa", "private"],
  ["10.0.0.1.nip.io", "private"],
  ["localtest.me", "private"],
  ["169.254.1.1", "link-local"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["169.254.169.254", "metadata"],
  ["0xa9fea9fe", "metadata"],
  ["[::ffff:a9fe:a9fe]", "metadata"],
  ["100.100.100.200", "metadata"],
  ["168.63.129.16", "metadata"],
  ["fd00:ec2::254", "metadata"],
  ["metadata.google.internal", "metadata"],
  ["metadata.google.internal.", "metadata"],
  ["224.0.0.1", "reserved"],
  ["255.255.255.255", "reserved"],
  ["192.0.2.1", "reserved"],
  ["ff02::1", "reserved"],
  ["2001:db8::1", "reserved"],
  ["4000::1", "reserved"],
  ["", "reserved"],
  ["a b", "reserved"],
  ["a@b", "reserved"],
])("%s is %s", (host, expected) => {
  expect(hostReach(host)).toBe(expected);
});

test("finds an IPv4 address inside an IPv6 address", () => {
  expect(embeddedIpv4("[::ffff:7f00:1]")).toBe("127.0.0.1");
  expect(embeddedIpv4("[::1]")).toBeUndefined();
  expect(embeddedIpv4("[2606:4700::1111]")).toBeUndefined();
  expect(embeddedIpv4("127.0.0.1")).toBeUndefined();
});

// Node's own block list is the judge of the ranges.
test("counts no address of the special ranges as public", () => {
  const list = new BlockList();
  for (const [start, bits] of [
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
    ["224.0.0.0", 3],
  ] as const)
    list.addSubnet(start, bits, "ipv4");
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 168, 254));
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
      const address = bytes.join(".");
      const isSpecial =
        list.check(address) || address === "168.63.129.16" || bytes.slice(0, 3).join(".") === "192.88.99";
      expect(hostReach(address) !== "public").toBe(isSpecial);
      expect(hostReach(`::ffff:${address}`)).toBe(hostReach(address));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 150) },
  );
});
