/**
 * Starts the slow test files first, so that no worker is left with one at the end of a run. Vitest does so by itself
 * from its cache of durations; a fresh clone has none, and there it goes by the size of a file.
 */
import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Files that take long for their size, the slowest first. Most wait for processes. */
const SLOW = [
  "test/page-journeys.test.ts",
  "test/mcp-killed.test.ts",
  "test/mcp.test.ts",
  "test/sandbox-escapes.test.ts",
  "test/conformance.test.ts",
  "test/undo-commands.test.ts",
  "test/terminal.test.ts",
  "test/cli-servers.test.ts",
  "test/tmux.test.ts",
  "test/contained-attacks.test.ts",
  "test/chat.test.ts",
  "test/run-live.test.ts",
  "src/policy/grants/families.test.ts",
  "src/policy/grants/widths.test.ts",
  "test/recorded-clients.test.ts",
  "src/tools/sandbox/sandbox.test.ts",
  "src/tools/run-in-terminal.test.ts",
  "test/conformance-ours.test.ts",
  "test/postgres-crashes.test.ts",
  "test/acp-client.test.ts",
  "src/tools/git/hostile-repositories.test.ts",
  "test/transcripts.test.ts",
  "test/mcp-grants.test.ts",
  "test/attacks-resource.test.ts",
  "test/questions.test.ts",
  "test/run-commands.test.ts",
  "src/tools/sandbox/hold-back.test.ts",
  "test/acp-attacks.test.ts",
  "test/breaches.test.ts",
  "src/history/sqlite/sqlite-ledger.test.ts",
  "test/fault-campaign.test.ts",
  "src/history/postgres/postgres-ledger.test.ts",
  "test/acp-watchers.test.ts",
  "test/aap-client-server.test.ts",
  "test/killed.test.ts",
  "src/history/sqlite/sqlite-processes.test.ts",
  "test/run-log.test.ts",
  "test/aap-http.test.ts",
  "test/acpx.test.ts",
  "src/policy/shell/bounds.test.ts",
  "test/aap-http-process.test.ts",
  "src/tools/kept-workspace/shadow-keeper.test.ts",
  "src/tools/built-in/terminal.test.ts",
  "test/cli-live.test.ts",
  "test/contained.test.ts",
  "src/acp/connection/stdio-wire.test.ts",
  "src/tools/built-in/command-links.test.ts",
  "test/server-siege.test.ts",
  "test/page-api.test.ts",
  "test/aap-client-run.test.ts",
  "test/acp-client-run.test.ts",
  "test/surface.test.ts",
  "test/aap.test.ts",
  "test/proxied-calls.test.ts",
  "test/library-docs.test.ts",
  "test/killed-children.test.ts",
  "test/acp.test.ts",
  "test/acp-door.test.ts",
  "test/executor.test.ts",
  "test/ledger-postgres.test.ts",
  "src/call/plain-json.test.ts",
  "test/undo.test.ts",
  "src/policy/explain.test.ts",
  "test/aap-extensions.test.ts",
  "test/edit-cost.test.ts",
  "test/aap-killed.test.ts",
  "test/cold-lists.test.ts",
  "test/postgres-instances.test.ts",
  "test/commands.test.ts",
  "test/served-terminals.test.ts",
  "src/policy/grants/project-programs.test.ts",
];

/** The project whose files run last, in processes of their own. */
export const PURE_ROOMS = "pure rooms";

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ project, moduleId }: TestSpecification): number => {
      // Files with a process of their own stay before the others: after one of them a shared process is ended.
      if (project.config.isolate) return -1;
      const offset = project.name === PURE_ROOMS ? SLOW.length + 1 : 0;
      const index = SLOW.indexOf(relative(this.ctx.config.root, moduleId).replaceAll("\\", "/"));
      return offset + (index === -1 ? SLOW.length : index);
    };
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
