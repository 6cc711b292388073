// The starter rules of a project. A fixed list by the files that lie in the project; short of installs, publishing,
// secrets, interpreters with code.

export const STARTER_NAME = "a fixed list by project files (build, test, lint, format, git add and commit)";

const BY_FILE = [
  [/^go\.mod$/, ["go build *", "go test *", "go vet *", "gofmt *", "golangci-lint run *"]],
  [/^package\.json$/, ["npm test *", "npm run build *", "npm run lint *", "npm run typecheck *", "npx tsc *", "npx vitest *", "npx eslint *", "npx prettier *"]],
  [/^pnpm-lock\.yaml$/, ["pnpm test *", "pnpm lint *", "pnpm vitest *", "pnpm -r build", "pnpm -r test"]],
  [/\.(?:sln|csproj)$/, ["dotnet build *", "dotnet test *", "dotnet format *"]],
  [/^pyproject\.toml$/, ["pytest *", "python -m pytest *", "ruff *", "mypy *", "uv run pytest *", "uv run ruff *", "uv run mypy *"]],
  [/^(?:gradlew|build\.gradle)$/, ["./gradlew build *", "./gradlew test *"]],
  [/^pom\.xml$/, ["mvn test *", "mvn verify *", "mvn package *"]],
  [/^Cargo\.toml$/, ["cargo build *", "cargo test *", "cargo check *", "cargo clippy *", "cargo fmt *"]],
  [/^Makefile$/, ["make", "make test", "make check", "make lint", "make build", "make clean"]],
  [/^CMakeLists\.txt$/, ["cmake --build *", "ctest *"]],
  [/^Gemfile$/, ["bundle exec rspec *", "bundle exec rubocop *"]],
];

export async function starterRules({ files }) {
  const names = files.map((file) => (typeof file === "string" ? file : file[0]));
  const found = BY_FILE.filter(([pattern]) => names.some((name) => pattern.test(name))).flatMap(([, commands]) => commands);
  return [...new Set([...found, "git add *", "git commit *"])].map((command) => ({ allow: "execute", command }));
}
