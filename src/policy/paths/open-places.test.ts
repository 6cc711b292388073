import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { decide } from "../decide.js";
import { plannedCommand } from "../intent.js";
import { inMode } from "../modes.js";

const executor = { shell: "/bin/bash", language: "bash" } as const;
const places = { roots: ["/ws"], home: "/home/u" };
const effectOf = (command: string, mode: "ask" | "read-only" = "ask"): string =>
  decide(plannedCommand({ command, cwd: "/ws", executor }), { ...places, ...inMode(mode, []) }).effect;

const OPEN = [
  "/usr/include/stdio.h",
  "/usr/lib/python3.11/asyncio/tasks.py",
  "/usr/local/lib/python3.11/site-packages/pydantic/main.py",
  "/usr/local/go/src/net/http/server.go",
  "/etc/os-release",
  "/proc/cpuinfo",
  "/home/u/go/pkg/mod/github.com/spf13/cobra@v1.8.0/command.go",
  "/home/u/.cargo/registry/src/index/clap/src/lib.rs",
  "/home/u/.m2/repository/org/slf4j/slf4j-api.pom",
  "/home/u/miniconda3/envs/ml/lib/python3.11/site-packages/torch/nn/a.py",
];

const CLOSED = [
  "/etc/passwd",
  "/etc/shadow",
  "/usr/bin/../../etc/shadow",
  "/usr/include/../../etc/shadow",
  "/proc/1/cpuinfo",
  "/home/u/.cargo/credentials.toml",
  "/home/u/.m2/settings.xml",
  "/home/u/.m2/repository/../settings.xml",
  "/home/u/.gradle/gradle.properties",
  "/home/u/.npmrc",
  "/home/u/go/src/other/a.go",
  "/home/other/.cargo/registry/a",
  "/usr/lib/x/.env",
  "/home/u/.cargo/registry/.netrc",
  "/usr/libexec/x",
  "/usr/include2/x",
];

describe("places that hold every project's code", () => {
  test.each(OPEN)("%s is read unasked", (path) => {
    expect(effectOf(`sed -n 1,20p ${path} | head`)).toBe("allow");
    expect(effectOf(`cat ${path}`, "read-only")).toBe("allow");
  });

  test.each(CLOSED)("%s is asked about", (path) => {
    expect(effectOf(`cat ${path}`)).toBe("ask");
  });

  test.each([
    "python3 /usr/lib/python3.11/x.py",
    "cp a.txt /usr/share/x",
    "rm /home/u/.cargo/registry/x",
    "echo x > /usr/include/x.h",
    "cat a > /home/u/go/pkg/mod/x.go",
    "bash /usr/share/x/run.sh",
    "cd /home/u/.cargo/registry/src/x && cargo test",
    "tar xf /usr/share/a.tar",
    "git -C /home/u/go/pkg/mod/x log",
  ])("%s is asked about: the places are only to look at", (command) => {
    expect(effectOf(command)).toBe("ask");
    expect(effectOf(command, "read-only")).toBe("deny");
  });

  test("a rule that denies or asks still holds there", () => {
    const intent = plannedCommand({ command: "cat /usr/include/a.h", cwd: "/ws", executor });
    const denied = inMode("ask", [{ deny: "read", path: "/usr/include/**" }]);
    expect(decide(intent, { ...places, ...denied }).effect).toBe("deny");
    expect(decide(intent, { ...places, rules: [], default: "ask" }).effect).toBe("ask");
  });

  test("no spelling of a closed path is open", () => {
    const segment = constantFrom("..", ".", "x", "", "lib", "include");
    assert(
      property(
        constantFrom(...OPEN),
        array(segment, { maxLength: 9 }),
        constantFrom("etc/shadow", "home/u/.ssh/id_rsa", "root/x"),
        (start, way, goal) => {
          const up = Array.from({ length: 30 }, () => "..");
          expect(effectOf(`cat ${[start, ...way, ...up, goal].join("/")}`)).toBe("ask");
        },
      ),
      { numRuns: 60 },
    );
  });
});
