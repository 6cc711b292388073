import * as fc from "fast-check";
import { expect, test } from "vitest";
import { htmlToText } from "./html-to-text.js";

test.each([
  ["<p>a</p><p>b</p>", "a\n\nb"],
  ["a<br>b<BR/>c", "a\nb\nc"],
  ["a <b>bold</b> word", "a bold word"],
  ["<script>x < y && '<p>'</script>a", "a"],
  ["<SCRIPT>x</Script >a<style>p{}</style>b", "ab"],
  ["<script>never closed", ""],
  ["a<!-- <p>hidden</p> -->b", "ab"],
  ["a<!-- never closed", "a"],
  ["<!doctype html><?xml?>a", "a"],
  ["a < b, 1<2 and <3", "a < b, 1<2 and <3"],
  ["a<b", "a"],
  [
    "&lt;b&gt; &amp;amp; &#65;&#x42; &nbsp;&unknown; &#99999999; &#x110000;",
    "<b> &amp; AB &unknown; &#99999999; &#x110000;",
  ],
  ["<title>İ</title><SCRIPT>x</SCRIPT>after", "İ\nafter"],
  ["  a \t b\n\n\n\nc  ", "a b\n\nc"],
  ["<tr><th>a</th><td>b</td></tr>", "a b"],
  ["", ""],
])("%j reads as %j", (html, text) => {
  expect(htmlToText(html)).toBe(text);
});

test("keeps a text without marks unchanged, and throws on none", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z0-9.,;]+$/), { minLength: 1 }), (words) => {
      expect(htmlToText(words.join(" "))).toBe(words.join(" "));
    }),
  );
  const pieces = fc.constantFrom(
    "<",
    ">",
    "<!--",
    "-->",
    "<script",
    "</script>",
    "&",
    "&#",
    "a",
    "\n",
    "<p",
    "/",
    '"',
  );
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      expect(htmlToText(parts.join(""))).toBeTypeOf("string");
    }),
  );
});

// Linear time takes a moment; anything else takes hours.
test.each(["<", "<script>", "<!--", "</", "<p", "&#", "&", "<a <", " ", "\n ", "<div>", "-->", "<b>x"])(
  "two million characters of %j are read to the end",
  (piece) => {
    const html = piece.repeat(2_000_000 / piece.length);
    expect(htmlToText(html).length).toBeLessThanOrEqual(html.length);
  },
);
