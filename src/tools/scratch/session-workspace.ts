/**
 * The workspace of one session: commands get the session's scratch folder as TMPDIR, and the files that they make in
 * the system's temporary folder are remembered as the session's own.
 */
import { homedir } from "node:os";
import type { Executor, Policy } from "../../policy/index.js";
import { ForwardingWorkspace } from "../forwarding-workspace.js";
import type { CommandExit, CommandOptions, Workspace } from "../workspace.js";
import { OwnTemporary } from "./own-temporary.js";
import { makeScratch, removeEmptyScratch, scratchPath } from "./scratch-folder.js";

/** The workspace itself when it is a session's already, or when there is no safe place for temporary files. */
export async function sessionWorkspace(workspace: Workspace, sessionId: string): Promise<Workspace> {
  if (workspace.scratch !== undefined) return workspace;
  const scratch = await scratchPath(sessionId, workspace);
  return scratch === undefined ? workspace : new SessionWorkspace(workspace, scratch);
}

/** Where the files of a workspace are, and whether its sandbox holds now, as the rules need it. */
export function placesOf(
  workspace: Workspace,
): Pick<Policy, "roots" | "home" | "scratch" | "canContain" | "notContaining" | "staying"> {
  const { roots, scratch, containing } = workspace;
  const places = { roots, home: homedir(), ...(scratch !== undefined && { scratch }) };
  const notContaining = containing?.trouble();
  if (!containing || notContaining !== undefined)
    return { ...places, canContain: false, ...(notContaining !== undefined && { notContaining }) };
  const staying = scratch === undefined ? undefined : containing.staying?.(scratch);
  return { ...places, canContain: true, ...(staying && { staying }) };
}

class SessionWorkspace extends ForwardingWorkspace {
  readonly scratch: string;
  readonly callView: Workspace["callView"];
  readonly #temporary: OwnTemporary;

  constructor(inner: Workspace, scratch: string, temporary = new OwnTemporary()) {
    super(inner);
    this.scratch = scratch;
    this.#temporary = temporary;
    const callView = inner.callView?.bind(inner);
    this.callView =
      callView &&
      (() => {
        const { workspace, forgetTexts } = callView();
        return { workspace: new SessionWorkspace(workspace, scratch, temporary), forgetTexts };
      });
  }

  override async executor(): Promise<Executor> {
    const executor = await super.executor();
    return { ...executor, known: { ...executor.known, TMPDIR: this.scratch } };
  }

  ownTemporary(path: string, isMade: boolean): Promise<readonly string[]> {
    return this.#temporary.find(path, isMade);
  }

  override async runCommand(
    command: string | readonly string[],
    options: CommandOptions,
  ): Promise<CommandExit> {
    const { scratch } = this;
    const { temporary = [] } = options;
    this.#temporary.add(temporary);
    // Without the folder the command still runs; a program that wants a temporary file reports that itself.
    await makeScratch(scratch).catch(() => undefined);
    const env = { TMPDIR: scratch, ...options.env };
    const exit = await this.inner.runCommand(command, { ...options, scratch, env });
    await this.#temporary.forgetMissing(temporary);
    return exit;
  }

  async release(): Promise<void> {
    this.containing?.endStaying?.(this.scratch);
    await removeEmptyScratch(this.scratch);
  }
}
