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
  "test/page-session-journeys.test.ts",
  "test/page-answer-journeys.test.ts",
  "test/page-typing-journeys.test.ts",
  "test/undo-large-files.test.ts",
  "test/undo-rights.test.ts",
  "test/locked-ledger.test.ts",
  "test/page-requests.test.ts",
  "test/contained-blame.test.ts",
  "test/chat.test.ts",
  "test/undo-commands.test.ts",
  "test/mcp-killed.test.ts",
  "test/terminal.test.ts",
  "test/contained-attacks.test.ts",
  "test/mcp.test.ts",
  "test/tmux.test.ts",
  "test/sandbox-escapes.test.ts",
  "test/recorded-clients.test.ts",
  "test/cli-servers.test.ts",
  "src/policy/grants/widths.test.ts",
  "test/run-live.test.ts",
  "test/conformance.test.ts",
  "src/tools/sandbox/sandbox.test.ts",
  "test/acp.test.ts",
  "test/acp-attacks.test.ts",
  "test/contained.test.ts",
  "test/transcripts.test.ts",
  "test/undo.test.ts",
  "test/acp-client.test.ts",
  "src/tools/run-in-terminal.test.ts",
  "test/aap-http-process.test.ts",
  "test/questions.test.ts",
  "test/conformance-ours.test.ts",
  "src/tools/git/hostile-repositories.test.ts",
  "src/tools/sandbox/hold-back.test.ts",
  "test/executor.test.ts",
  "test/postgres-crashes.test.ts",
  "test/surface.test.ts",
  "src/policy/explain.test.ts",
  "test/attacks-terminal.test.ts",
  "src/history/postgres/open-postgres-ledger.test.ts",
  "src/call/plain-json.test.ts",
  "test/mcp-grants.test.ts",
  "test/breaches.test.ts",
  "src/history/sqlite/sqlite-ledger.test.ts",
  "test/attacks-resource.test.ts",
  "test/postgres-instances.test.ts",
  "src/history/sqlite/sqlite-processes.test.ts",
  "test/fault-campaign.test.ts",
  "test/proxied-calls.test.ts",
  "test/aap.test.ts",
  "test/aap-killed.test.ts",
  "test/aap-client-run.test.ts",
  "test/aap-client-server.test.ts",
  "test/acp-client-run.test.ts",
  "test/library-docs.test.ts",
  "test/run-commands.test.ts",
  "test/providers.test.ts",
  "test/acp-watchers.test.ts",
  "src/call/session-book.property.test.ts",
  "src/policy/shell/bounds.test.ts",
  "test/many-at-once.test.ts",
  "test/aap-http.test.ts",
  "src/tools/built-in/terminal.test.ts",
  "src/acp/connection/stdio-wire.test.ts",
  "test/aap-extensions.test.ts",
  "test/served-terminals.test.ts",
  "test/commands.test.ts",
  "test/stored-documents.test.ts",
  "test/rooms.test.ts",
  "src/policy/grants/families.test.ts",
  "test/acpx.test.ts",
  "src/call/line-hunks.test.ts",
  "test/server-siege.test.ts",
  "test/history.test.ts",
  "src/call/partial-input.test.ts",
  "test/page-api.test.ts",
  "test/acp-door.test.ts",
  "test/acp-client-permissions.test.ts",
  "test/killed.test.ts",
  "test/cold-lists.test.ts",
  "test/killed-children.test.ts",
  "test/overflow.test.ts",
  "test/cli-live.test.ts",
  "test/aap-agents.test.ts",
  "test/tools.test.ts",
  "test/gate.test.ts",
  "test/task-killed.test.ts",
  "test/aap-client.test.ts",
  "test/left-command.test.ts",
  "src/tools/sandbox/waiting-sandbox.test.ts",
  "test/gate-load.test.ts",
  "test/scratch.test.ts",
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
