import { expect, test } from "vitest";
import { costText, inFolder, lastPart, longTime, rate, sentence, share, shortTime } from "./words.js";
import { bucketName } from "./statistics/periods.js";
import { niceSteps } from "./statistics/chart-scale.js";

test("writes times in one or two units", () => {
  expect([22_900, 252_000, 3_660_000, 183_600_000].map(longTime)).toEqual([
    "22 s",
    "4 min 12 s",
    "1 h 1 min",
    "2 d 3 h",
  ]);
  expect([22_900, 252_000, 3_660_000, 183_600_000].map(shortTime)).toEqual([
    "22 s",
    "4 min",
    "1 h",
    "2 days",
  ]);
});

test("names no rate over fewer than 30 calls", () => {
  expect([rate(3, 29), rate(3, 30)]).toEqual(["–", "10.0 %"]);
});

test("writes sentences, paths and waiting times", () => {
  expect(sentence("no rule names it")).toBe("No rule names it.");
  // A program or an address is another one with a capital.
  expect(sentence("sh runs commands", "curl x | sh")).toBe("sh runs commands.");
  expect(sentence("https://a.example/x is spelled oddly")).toBe("https://a.example/x is spelled oddly.");
  expect(inFolder("/home/ann/shop/a.ts", "/home/ann/shop")).toBe("a.ts");
  expect(lastPart("/home/ann/shop/")).toBe("shop");
  expect([
    bucketName(5_000, undefined),
    bucketName(30_000, 5_000),
    bucketName(120_000, 30_000),
    bucketName(undefined, 3_600_000),
  ]).toEqual(["under 5 s", "5 to 30 s", "30 s to 2 min", "over 1 h"]);
});

test("draws scales with steps that people can read", () => {
  expect(niceSteps(187)).toEqual([0, 50, 100, 150, 200]);
  expect(niceSteps(3)).toEqual([0, 1, 2, 3]);
});

test("gives a share as a rate, and in counts where there are too few calls for one", () => {
  expect(share(3, 30)).toBe("10.0 %");
  expect(share(2, 7)).toBe("2 of 7");
});

test("shows a cost below a cent", () => {
  expect([0, 0.000_27, 0.04, 0.4, 12.3].map(costText)).toEqual([
    "0.00 USD",
    "0.00027 USD",
    "0.04 USD",
    "0.40 USD",
    "12.30 USD",
  ]);
});
