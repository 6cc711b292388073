/**
 * A workspace around another one, which does everything unless a subclass does it otherwise. A subclass overrides what it
 * adds to; a new method of the port is added here once.
 */
import type { Executor } from "../policy/index.js";
import { executorOf } from "./git/executor-for.js";
import type { WorkspaceKeeper } from "./kept-workspace/workspace-keeper.js";
import type { CommandExit, CommandOptions, FileInfo, Files, FolderEntry, Workspace } from "./workspace.js";

export class ForwardingWorkspace implements Workspace {
  protected readonly inner: Workspace;

  constructor(inner: Workspace) {
    this.inner = inner;
  }

  get root(): string {
    return this.inner.root;
  }

  get roots(): readonly string[] {
    return this.inner.roots;
  }

  get own(): readonly string[] {
    return this.inner.own ?? [];
  }

  get disk(): Files | undefined {
    return this.inner.disk;
  }

  get keeper(): WorkspaceKeeper | undefined {
    return this.inner.keeper;
  }

  get containing(): Workspace["containing"] {
    return this.inner.containing;
  }

  resolve(...given: Parameters<Files["resolve"]>): Promise<string> {
    return this.inner.resolve(...given);
  }

  look(path: string): Promise<FileInfo | undefined> {
    return this.inner.look(path);
  }

  readLink(path: string): Promise<string> {
    return this.inner.readLink(path);
  }

  readText(path: string): Promise<string | undefined> {
    return this.inner.readText(path);
  }

  readBytes(...given: Parameters<Files["readBytes"]>): ReturnType<Files["readBytes"]> {
    return this.inner.readBytes(...given);
  }

  list(path: string): Promise<readonly FolderEntry[]> {
    return this.inner.list(path);
  }

  write(...given: Parameters<Files["write"]>): Promise<void> {
    return this.inner.write(...given);
  }

  makeFolder(...given: Parameters<Files["makeFolder"]>): Promise<void> {
    return this.inner.makeFolder(...given);
  }

  makeLink(path: string, target: string): Promise<void> {
    return this.inner.makeLink(path, target);
  }

  remove(path: string): Promise<void> {
    return this.inner.remove(path);
  }

  move(path: string, to: string): Promise<void> {
    return this.inner.move(path, to);
  }

  executor(): Promise<Executor> {
    return executorOf(this.inner);
  }

  runCommand(command: string | readonly string[], options: CommandOptions): Promise<CommandExit> {
    return this.inner.runCommand(command, options);
  }
}
