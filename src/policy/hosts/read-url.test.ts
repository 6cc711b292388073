import { expect, test } from "vitest";
import { readUrl } from "./read-url.js";
import type { UrlProblem } from "./read-url.js";

/** "scheme host port: kinds of problems" */
function line(text: string): string | undefined {
  const url = readUrl(text);
  if (!url) return undefined;
  const kinds = [...new Set(url.problems.map(({ kind }): UrlProblem["kind"] => kind))].toSorted();
  return `${url.scheme} ${url.host} ${url.port ?? "-"}: ${kinds.join(" ")}`.trim();
}

test.each<[string, string]>([
  ["https://allowed.example/x", "https allowed.example 443:"],
  ["HTTPS://ALLOWED.EXAMPLE:443/x", "https allowed.example 443:"],
  ["http://allowed.example/?q=a@b#c", "http allowed.example 80:"],
  ["https://allowed.example?x", "https allowed.example 443:"],
  ["https://8.8.8.8/", "https 8.8.8.8 443:"],
  ["https://allowed.example:8443/", "https allowed.example 8443: port"],
  ["https://allowed.example@evil.test/", "https evil.test 443: spelling"],
  ["https://@evil.test/", "https evil.test 443: spelling"],
  ["https://evil.test\\@allowed.example/", "https evil.test 443: spelling"],
  ["https:\\\\evil.test", "https evil.test 443: spelling"],
  ["https:evil.test", "https evil.test 443: spelling"],
  ["https:///evil.test", "https evil.test 443: spelling"],
  ["https://evil.test/#.allowed.example", "https evil.test 443:"],
  ["https://evil.test/\\x", "https evil.test 443: spelling"],
  ["https://ev\til.test/", "https evil.test 443: spelling"],
  ["https://evil.test/\n", "https evil.test 443: spelling"],
  [" https://evil.test/", "https evil.test 443: spelling"],
  ["https://evil.test/\u202ex", "https evil.test 443: spelling"],
  ["https://ev%69l.test/", "https evil.test 443: spelling"],
  ["https://evil。test/", "https evil.test 443: spelling"],
  ["https://evil.test./", "https evil.test. 443: spelling"],
  ["https://a..test/", "https a..test 443: spelling"],
  ["https://аllowed.example/", "https xn--llowed-2nf.example 443: name spelling"],
  ["https://xn--llowed-2nf.example/", "https xn--llowed-2nf.example 443: name"],
  ["http://169.254.169.254/latest/meta-data/", "http 169.254.169.254 80: reach"],
  ["http://[::1]:3000/", "http [::1] 3000: port reach"],
  ["http://[0:0:0:0:0:0:0:1]/", "http [::1] 80: reach spelling"],
  ["http://0x7f000001/", "http 127.0.0.1 80: reach spelling"],
  ["http://2130706433/", "http 127.0.0.1 80: reach spelling"],
  ["http://017700000001/", "http 127.0.0.1 80: reach spelling"],
  ["http://127.1/", "http 127.0.0.1 80: reach spelling"],
  ["http://１２７.0.0.1/", "http 127.0.0.1 80: reach spelling"],
  ["http://127.0.0.1./", "http 127.0.0.1 80: reach spelling"],
  ["http://010.8.8.8/", "http 8.8.8.8 80: spelling"],
  ["http://[::ffff:127.0.0.1]/", "http [::ffff:7f00:1] 80: reach spelling"],
  ["http://[::ffff:808:808]/", "http [::ffff:808:808] 80: spelling"],
  ["http://localhost./", "http localhost. 80: reach spelling"],
  ["example.com/x", "http example.com 80: scheme"],
  ["//example.com/x", "http example.com 80: scheme"],
  ["localhost:3000", "http localhost 3000: port reach scheme"],
  ["http:3000/x", "http http 3000: port reach scheme"],
  ["me:pw@evil.test/x", "http evil.test 80: scheme spelling"],
  ["file:///etc/passwd", "file  -: scheme"],
  ["file:/etc/passwd", "file  -: scheme"],
  ["ftp://example.com/", "ftp example.com -: scheme"],
  ["gopher://0x7f.1:70/", "gopher 127.0.0.1 70: port reach scheme spelling"],
  ["ws://example.com/", "ws example.com -: scheme"],
  ["data:text/plain,x", "data  -: scheme"],
  ["javascript:alert(1)", "javascript  -: scheme"],
])("%j reads as %s", (text, expected) => {
  expect(line(text)).toBe(expected);
});

test.each([
  "",
  " ",
  "https://",
  "https://evil.test%00.allowed.example/",
  "https://a b/",
  "https://h:65536/",
  "http://[fe80::1%25eth0]/",
  "http://[::1",
  "http://1.2.3.4.5/",
])("%j is no address", (text) => {
  expect(readUrl(text)).toBeUndefined();
});

test("describes a problem in a sentence that shows the true host, without invisible characters", () => {
  const texts = readUrl("https://good.example\u200b@2130706433/")?.problems.map(({ text }) => text);
  expect(texts).toEqual([
    "The URL has spaces or invisible characters in it.",
    'A name or password stands before "@"; the host is "127.0.0.1".',
    'The host is written "2130706433" and read as "127.0.0.1".',
    'The host "127.0.0.1" is this machine itself.',
  ]);
});
