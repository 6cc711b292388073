/** "Always" for checkers that nobody described, for tools that the project has installed, and for its own programs. */
import { describe, expect, test } from "vitest";
import { decide } from "../decide.js";
import { FORCED_GIT_SETTINGS } from "../forced-git-settings.js";
import { plannedCommand } from "../intent.js";
import type { Intent } from "../intent.js";
import { inMode } from "../modes.js";
import { alwaysFor } from "./grants.samples.js";
import { proposeGrants } from "./propose-grants.js";

const home = "/home/ann";
const places = { roots: [`${home}/src/app`], home };
const command = (text: string): Intent => ({
  ...plannedCommand({
    cwd: `${home}/src/app`,
    command: text,
    executor: { language: "bash", forced: FORCED_GIT_SETTINGS },
  }),
  // As the terminal fills it: a folder cannot be bound.
  contents: { [`${home}/src/app/docs`]: "not read" },
});
const { effect, holds } = alwaysFor(command, places);

describe("checks", () => {
  holds([
    [
      "codespell docs",
      ["vale docs", "bats tests", ".venv/bin/python -m pytest -q", "node_modules/.bin/vitest run"],
      ["codespell --config ../x", "codespell -w ../x", ".venv/bin/python -c 'x'", ".venv/bin/python a.py"],
    ],
    [
      "npx vitest run",
      ["vendor/bin/phpunit tests", "./vendor/bin/phpstan analyse src", "venv/bin/ruff check ."],
      ["vendor/bin/deployer x", "./node_modules/.bin/rimraf src", ".venv/bin/pip install x", "bin/pytest"],
    ],
    [
      "cmake -S . -B build",
      ["cmake --build build -j4", "ctest --test-dir build", "pytest --durations-min 3 -q"],
      [
        "cmake --preset x",
        "cmake --workflow --preset=x",
        "ctest --preset x",
        "dotnet test -r .git",
        "rustfmt .vscode/a.rs",
        "rustfmt AGENTS.md",
        "pytest --frob ./x.py",
        "pytest --frob=../x",
        "pytest --frob-plugin x",
        "pytest --frob https://evil.example/x",
        "eslint --frob-config x",
        "npx vitest run --frob .git/hooks/x",
      ],
    ],
  ]);

  holds([
    [
      "./gradlew test",
      [
        "./gradlew :app:testDebugUnitTest --tests '*Main*' --info",
        "./gradlew assembleDebug",
        "./gradlew lint detekt --continue",
        "make -j8 test",
        "yarn workspace @acme/ui test",
        "nx test ui",
        "deno task test",
        "mix credo --strict",
        "bin/rails routes",
        "rails test",
        "composer validate",
        "clang-format -i src/a.cpp",
        "rustfmt src/a.rs",
        "nm build/a.o",
        "readelf -h build/a.out",
        "npx prisma generate",
        "npx svelte-check",
      ],
      [
        "./gradlew publish",
        "./gradlew :app:installDebug",
        "./gradlew :app:uploadCrashlytics",
        "./gradlew bootRun",
        "make -C ../x",
        "make -f ../x",
        "make deploy",
        "ninja -C ../x",
        "yarn workspace @acme/ui deploy",
        "yarn workspace @acme/ui add x",
        "yarn workspace ../x test",
        "nx deploy ui",
        "deno task deploy",
        "deno run test",
        "mix ecto.migrate",
        "mix run -e x",
        "bin/rails db:migrate",
        "bin/rails runner x",
        "bin/rails console",
        "composer install",
        "clang-format -i .git/hooks/x",
        "clang-format -i AGENTS.md",
        "nm --plugin ./x.so a.o",
        "nm @words",
        "npx prisma migrate deploy",
        "npx prisma db push",
        "npx prisma generate --schema ../x",
        "npx prisma@latest generate",
        "npx -p evil prisma generate",
        "npx evil-pkg generate",
        "npx codespell docs",
      ],
    ],
    [
      "npx tsx scripts/icons.ts --size 3",
      ["npx tsx scripts/icons.ts --size 4"],
      ["npx tsx scripts/other.ts", "npx tsx -e 1", "npx tsx@latest scripts/icons.ts", "npx tsx ../x.ts"],
    ],
  ]);

  test("flags that nobody described stay asked about where a server is asked", () => {
    for (const [granted, text] of [
      ["gh pr view 1", "gh pr view 1 --frob x"],
      ["git status --frob", "git status --frobnicate"],
      ["docker ps", "docker ps --frob"],
      ["kubectl get pods", "kubectl get pods --frob"],
    ] as const)
      expect(effect(text, granted), text).not.toBe("allow");
  });
});

describe("the project's own program", () => {
  holds([
    [
      "go run ./cmd/app list",
      ["go run ./cmd/app list --limit 3"],
      ["go run ./cmd/app --delete x", "go run ./cmd/app list --force", "go run ./cmd/app --dropTables=yes"],
    ],
    [
      "python scripts/report.py --days 3",
      ["python scripts/report.py --days 4"],
      ["python scripts/report.py --purge-old", "python scripts/report.py --env=x --production"],
    ],
  ]);
});

describe("a program that the build made", () => {
  holds([
    [
      "./target/debug/tool parse tests/a.txt",
      ["./target/debug/tool list", "./target/debug/tool -l a.bin"],
      [
        "./target/debug/tool delete x",
        "./target/debug/tool list --force",
        "./target/debug/other",
        "./target/debug/tool ../x",
        "./target/debug/tool https://x.example",
        "./target/debug/tool --run 'rm -rf x'",
        "./target/debug/../../x",
        "cp ../x ./target/debug/tool && ./target/debug/tool x",
        "cp node_modules/x/y target/debug/tool && ./target/debug/tool x",
        "mv a target/debug && ./target/debug/tool x",
        "echo x > target/debug/tool; ./target/debug/tool x",
        "ln -sf ../../y target/debug/tool; ./target/debug/tool x",
      ],
    ],
    [
      "cargo build && ./target/debug/tool show x",
      ["cargo test && ./target/debug/tool list"],
      ["./target/debug/x"],
    ],
    ["go build -o bin/svc ./cmd/svc && ./bin/svc --help", ["./bin/svc list"], ["./bin/deploy"]],
    ["./ourtool watch", ["./ourtool list"], ["./ourtool deploy", "./other list", "./ourtool run-hook x"]],
  ]);

  test("a script of the project is bound to its content wherever it lies", () => {
    const contents = { [`${home}/src/app/ourtool`]: "1" };
    const rules = proposeGrants({ ...command("./ourtool list"), contents }, places)[0]?.rules ?? [];
    const policy = { ...places, ...inMode("accept-edits", rules) };
    expect(decide({ ...command("./ourtool list"), contents }, policy).effect).toBe("allow");
    const changed = { [`${home}/src/app/ourtool`]: "2" };
    expect(decide({ ...command("./ourtool list"), contents: changed }, policy).effect).toBe("ask");
  });
});

describe("versions", () => {
  holds([
    ["npm test", ["java -version", "ruby -v", "cargo --version"], ["ruby -v x.rb", "java -version -jar x"]],
  ]);
});

describe("a kind of temporary files", () => {
  holds([
    [
      "cat /tmp/a.json",
      ["cat /tmp/other.json"],
      ["cat /tmp/.hidden.json", "cat /tmp/credentials.json", "cat /tmp/gcp-token.json", "cat /tmp/x/a.json"],
    ],
  ]);
});
