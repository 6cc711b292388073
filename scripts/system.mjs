// Installs the Debian packages that the tests need beside Node, when they are missing and we may.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PACKAGES = [
  { name: "bubblewrap", program: "/usr/bin/bwrap", why: "the sandbox is tested with it" },
  { name: "dash", program: "/usr/bin/dash", why: "the command reader is tested against it" },
  { name: "tmux", program: "/usr/bin/tmux", why: "the commands are tested in a terminal of it" },
  {
    name: "strace",
    program: "/usr/bin/strace",
    why: "what commands and scripts do is compared with how they are read",
  },
  { name: "mawk", program: "/usr/bin/mawk", why: "the awk reader is compared with it" },
  { name: "gawk", program: "/usr/bin/gawk", why: "the awk reader is compared with it" },
  { name: "original-awk", program: "/usr/bin/original-awk", why: "the awk reader is compared with it" },
  {
    name: "busybox",
    program: "/usr/bin/busybox",
    why: "its shell, awk, sed and find are compared with their readers",
  },
  {
    name: "faketime",
    program: "/usr/bin/faketime",
    why: "clocks are set with it; without it, only JavaScript's clock is",
  },
  { name: "jq", program: "/usr/bin/jq", why: "the jq reader is compared with it" },
  // Chromium without the parts for a screen takes a quarter less CPU time.
  {
    name: "chromium-headless-shell",
    program: "/usr/bin/chromium-headless-shell",
    why: "the page is tested in it",
  },
  {
    name: "postgresql-15",
    program: "/usr/lib/postgresql/15/bin/postgres",
    why: "the ledger on a server is tested with it",
  },
  {
    name: "pgbouncer",
    program: "/usr/sbin/pgbouncer",
    why: "the ledger is tested behind it",
    isLong: true,
  },
  { name: "sqlite3", program: "/usr/bin/sqlite3", why: "the SQL reader is compared with it" },
];

const isLong = process.argv.includes("--long");
const missing = PACKAGES.filter((one) => !existsSync(one.program) && (isLong || !one.isLong));
const mayInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
if (missing.length > 0 && mayInstall) {
  const names = missing.map(({ name }) => name);
  process.stderr.write(`toolgate: installing ${names.join(", ")} …\n`);
  apt("update", "-q");
  apt("install", "-q", "-y", "--no-install-recommends", ...names);
}
for (const { name, program, why } of missing) {
  if (!existsSync(program))
    process.stderr.write(`toolgate: ${name} is not installed, and ${why}: those tests may fail.\n`);
}

function apt(...words) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", words, { stdio: ["ignore", "ignore", 2], env });
}
