import { expect, test } from "vitest";
import { judgeArgv } from "../judge-argv.js";

const files = (line: string) => judgeArgv(line.split(" ")).runsFiles;

test.each([
  ["node server", "server.js"],
  ["node server.js", "server.js"],
  ["node ./lib", "./lib/index.js"],
  ["node -r ./setup a.js", "./setup.js"],
  ["node --import ./setup.mjs a.js", "./setup.mjs"],
  ["node --loader=./l.mjs a.js", "./l.mjs"],
  ["tsx a.ts", "a.ts"],
  ["tsx watch a.ts", "a.ts"],
  ["ts-node a", "a.ts"],
  ["bun run a.ts", "a.ts"],
  ["bun a.ts", "a.ts"],
  ["deno run a.ts", "a.ts"],
  ["deno a.ts", "a.ts"],
  ["python3 a.py", "a.py"],
  ["python3 -m pkg", "pkg.py"],
  ["python3 -m pkg.sub", "pkg/sub/__main__.py"],
  ["python3 -m pytest x", "pytest.py"],
  ["poetry run python -m pkg", "pkg/__main__.py"],
  ["expect a.exp", "a.exp"],
  ["expect -f a.exp", "a.exp"],
  ["emacs --script a.el", "a.el"],
  ["emacs -l a.el", "a.el"],
  ["vim -Sa.vim x", "a.vim"],
  ["vim -u a.vim x", "a.vim"],
  ["ruby -r ./x a.rb", "./x"],
  ["gawk -i x.awk 1 f", "x.awk"],
  ["perl a.pl", "a.pl"],
  ["bash a.sh", "a.sh"],
  ["php -f a.php", "a.php"],
  ["make -f x.mk", "x.mk"],
  ["eslint -c x.js .", "x.js"],
  ["less -k keys a", "keys"],
])("binds a yes to `%s` to the file %s", (line, file) => expect(files(line)).toContain(file));

test("binds nothing to a name that is no file", () => {
  expect(files("node https://x.example/a.js")).toEqual([]);
  expect(files("python3 -c print([1])")).toEqual([]);
  expect(files("node -e [1]*2")).toEqual([]);
});
