import { expect, test } from "vitest";
import { htmlToMarkdown } from "./html-to-markdown.js";

const convert = (html: string, timeLimit = 30_000, signal = new AbortController().signal) =>
  htmlToMarkdown(html, { base: "https://site.example/docs/", signal, timeLimit });

test("converts lists, code, tables, struck text and tasks", async () => {
  const html =
    "<ul><li>a<li>b</ul><pre><code class=language-js>let x</code></pre><del>c</del>" +
    "<table><tr><th>h<tr><td>d</table><ul><li><input type=checkbox checked>e</ul>";
  expect((await convert(html)).text).toBe(
    "-   a\n-   b\n\n```js\nlet x\n```\n\n~~c~~\n\n| h   |\n| --- |\n| d   |\n\n-   [x] e",
  );
});

test("makes links absolute, and leaves out those without a usable target", async () => {
  const html = `<p><a href="../a">a</a> <a href="//b.example/">b</a> <a href="javascript:x">c</a> <a href="x"> </a><img src="i.png" alt="d"><img src="data:image/png;base64,AA" alt="e">`;
  expect((await convert(html)).text).toBe(
    "[a](https://site.example/a) [b](https://b.example/) c ![d](https://site.example/docs/i.png)e",
  );
});

test("leaves out scripts, styles and other elements without text", async () => {
  expect((await convert("<style>a</style><script>b</script><noscript>c</noscript><p>d")).text).toBe("d");
});

const PLAIN = "The page is built in a way that cannot be turned into Markdown, so this is its plain text.";

test("returns plain text when a page takes longer than the time limit", async () => {
  const nested = `${"<div>".repeat(20_000)}deep`;
  expect(await convert(nested, 300)).toEqual({ text: "deep", notice: PLAIN });
});

test("returns plain text when a page makes the converter fail", async () => {
  expect(await convert(`${"<b><i>".repeat(20_000)}deep`)).toEqual({ text: "deep", notice: PLAIN });
});

test("throws the reason of the cancel when it is cancelled", async () => {
  const reason = new Error("the user pressed stop");
  const cancel = new AbortController();
  setTimeout(() => cancel.abort(reason), 100);
  await expect(convert("<div>".repeat(20_000), 30_000, cancel.signal)).rejects.toBe(reason);
  await expect(convert("a", 30_000, cancel.signal)).rejects.toBe(reason);
});
