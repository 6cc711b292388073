/**
 * Starts the slow test files first, so that no worker is left with one at the end of a run. Vitest does so by itself
 * from its cache of durations; a fresh clone has none, and there it goes by the size of a file.
 */
import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Files that take long for their size, the slowest first. Most wait for processes. */
const SLOW = [
  "test/mcp-killed.test.ts",
  "test/conformance-ours.test.ts",
  "test/mcp.test.ts",
  "test/cli-servers.test.ts",
  "test/transcripts.test.ts",
  "test/conformance.test.ts",
  "test/tmux.test.ts",
  "test/terminal.test.ts",
  "test/run-live.test.ts",
  "src/tools/git/hostile-repositories.test.ts",
  "test/aap-client-run.test.ts",
  "test/executor.test.ts",
  "src/tools/run-in-terminal.test.ts",
  "test/fault-campaign.test.ts",
  "test/questions.test.ts",
  "test/acp-attacks.test.ts",
  "test/attacks-resource.test.ts",
  "test/killed.test.ts",
  "test/acp.test.ts",
  "test/aap-http-process.test.ts",
  "test/acp-client-run.test.ts",
  "test/undo.test.ts",
  "test/acp-client.test.ts",
  "test/attacks-terminal.test.ts",
  "src/history/sqlite/sqlite-processes.test.ts",
  "test/many-at-once.test.ts",
  "test/history-million.test.ts",
  "test/mcp-grants.test.ts",
  "test/aap-killed.test.ts",
  "test/history.test.ts",
  "test/task-killed.test.ts",
  "test/acpx.test.ts",
  "test/gate-load.test.ts",
  "test/surface.test.ts",
  "test/providers.test.ts",
  "test/aap-extensions.test.ts",
  "src/history/sqlite/sqlite-ledger.test.ts",
  "src/policy/shell/bounds.test.ts",
  "test/cli-live.test.ts",
  "test/conformance-command.test.ts",
  "test/killed-children.test.ts",
  "test/aap-http.test.ts",
  "test/run-log.test.ts",
  "test/left-command.test.ts",
  "test/library-docs.test.ts",
  "test/rooms.test.ts",
  "test/find-fuzz.test.ts",
  "test/long-wait.test.ts",
  "test/answers.test.ts",
];

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ project, moduleId }: TestSpecification): number => {
      // Files with a process of their own stay before the others: after one of them a shared process is ended.
      if (project.config.isolate) return -1;
      const index = SLOW.indexOf(relative(this.ctx.config.root, moduleId).replaceAll("\\", "/"));
      return index === -1 ? SLOW.length : index;
    };
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
