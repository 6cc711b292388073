/**
 * The one way to start a program: marked, guarded from before its first moment, with the tree that ends it. The caller
 * says how the marked argv is spawned.
 */
import type { Argv, ChildOptions } from "./child.js";
import { guardTree, releaseTree } from "./guardian.js";
import { identityOf } from "./process-identity.js";
import { ProcessTree } from "./process-tree.js";
import { markedArgv, markedEnv, newMark } from "./tree-mark.js";

export type StartedTree<Program> = {
  readonly program: Program;
  /** Undefined when the program could not be started. */
  readonly tree: ProcessTree | undefined;
};

/** Throws what `spawnIt` throws. */
export function startTree<Program extends { readonly pid?: number | undefined }>(
  argv: Argv,
  options: ChildOptions,
  spawnIt: (argv: Argv, env: NodeJS.ProcessEnv) => Program,
): StartedTree<Program> {
  const mark = newMark();
  guardTree(mark);
  let pid: number | undefined;
  try {
    const program = spawnIt(markedArgv(argv, options, mark), markedEnv(options.env, mark));
    pid = program.pid;
    if (pid === undefined) return { program, tree: undefined };
    const tree = new ProcessTree({ ...identityOf(pid), ...mark, startedAt: Date.now() });
    tree.guard();
    return { program, tree };
  } finally {
    if (pid === undefined) releaseTree(mark);
  }
}
