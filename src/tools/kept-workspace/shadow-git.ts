/**
 * Git in a repository of our own that keeps the files of a workspace.
 *
 * Invariants: the user's repository is never GIT_DIR, so git takes no lock, refreshes no index and runs no gc there.
 * Git looks for objects in the user's folders only when it reads: before it writes an object, it gives a new time to one
 * of that name, wherever it finds it. The environment is made here, not inherited. No settings, hooks, filters, attributes or monitors of the user or of the
 * workspace apply: content is kept byte for byte, and no program that a repository names is run.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectOutput } from "../../process/index.js";
import type { ObjectFormat } from "../git/read-index.js";

// Not PATH: that often leads through the project, where an agent could put a program of this name.
const PROGRAMS = [
  "/usr/bin/git",
  "/usr/local/bin/git",
  "/opt/homebrew/bin/git",
  "/run/current-system/sw/bin/git",
];

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 300;

/** No attribute of the workspace may convert content. The file of the repository itself has the last word. */
const NO_ATTRIBUTES = "* -text -crlf !eol -ident -filter !working-tree-encoding -diff -merge -export-subst\n";

const SETTINGS = `[core]
	repositoryformatversion = FORMAT_VERSION
	bare = false
	fileMode = true
	symlinks = true
	autocrlf = false
	safecrlf = false
	ignoreCase = false
	precomposeUnicode = false
	protectHFS = false
	protectNTFS = false
	trustctime = true
	checkStat = default
	preloadIndex = true
	fsmonitor = false
	untrackedCache = false
	splitIndex = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	looseCompression = 1
	bigFileThreshold = 4m
	logAllRefUpdates = false
	fsync = none
[gc]
	auto = 0
[maintenance]
	auto = false
[index]
	threads = true
[submodule]
	recurse = false
`;

/**
 * Only contents are read from the user's folders: a command may have put a pack there that claims to have the objects
 * which we made, and git looks into packs first.
 */
const READING = "cat-file";

/** One folder with files, and the index that lists them. */
export type GitPlace = {
  /**
   * `files`: the files of a workspace or of a repository in it. `git`: the git folder of a repository, but for its
   * objects, which have their names from their content.
   */
  readonly kind: "files" | "git";
  readonly workTree: string;
  readonly index: string;
  readonly excludes: string;
};

export type GitOptions = {
  readonly place?: GitPlace;
  readonly stdin?: Uint8Array;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  /** An exit with 1 means that nothing was found. */
  readonly mayFindNothing?: boolean;
  /** Reads nothing from the user's folders. */
  readonly isAlone?: boolean;
};

export class ShadowGit {
  readonly folder: string;
  readonly #program: string;
  readonly #borrowed: Set<string>;

  private constructor(program: string, folder: string) {
    this.#program = program;
    this.folder = folder;
    this.#borrowed = new Set([this.copies]);
  }

  /** Undefined when git is not installed. The repository is made when it is not there. */
  static open(folder: string, format: ObjectFormat): ShadowGit | undefined {
    const program = PROGRAMS.find((path) => existsSync(path));
    if (program === undefined) return undefined;
    const git = new ShadowGit(program, folder);
    // Written last: without it the repository is not complete.
    if (!existsSync(join(folder, "HEAD"))) git.#make(format);
    mkdirSync(join(git.copies, "pack"), { recursive: true, mode: 0o700 });
    return git;
  }

  /** Where copies of the user's object files lie. */
  get copies(): string {
    return join(this.folder, "copies");
  }

  /** Further folders to look in for objects. */
  borrow(folders: readonly string[]): void {
    for (const folder of folders) this.#borrowed.add(folder);
  }

  #make(format: ObjectFormat): void {
    const { folder } = this;
    rmSync(folder, { recursive: true, force: true });
    for (const name of ["objects/info", "objects/pack", "refs", "info"])
      mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    const version = format === "sha256" ? "1" : "0";
    const extensions = format === "sha256" ? "[extensions]\n\tobjectFormat = sha256\n" : "";
    writeFileSync(join(folder, "config"), SETTINGS.replace("FORMAT_VERSION", version) + extensions);
    writeFileSync(join(folder, "info/attributes"), NO_ATTRIBUTES);
    writeFileSync(join(folder, "HEAD"), "ref: refs/heads/kept\n");
  }

  /** The stdout. Throws KeepFailed. */
  async run(args: readonly string[], options: GitOptions): Promise<Buffer> {
    const { place, stdin, deadline, mayFindNothing = false, isAlone = false } = options;
    const timeoutMs = deadline - Date.now();
    if (timeoutMs <= 0) throw new KeepFailed("time", "git");
    const words = place === undefined ? args : [...settingsFor(place), ...args];
    const { exit, stdout, stderr, exceeded } = await collectOutput([this.#program, ...words], {
      env: this.#environment(place, args, isAlone),
      cwd: place?.workTree ?? this.folder,
      timeoutMs,
      maxBytes: MAX_OUTPUT_BYTES,
      ...(stdin && { stdin }),
    });
    if (exceeded !== undefined) throw new KeepFailed(exceeded, "git");
    if (exit.exitCode === 0 || (mayFindNothing && exit.exitCode === 1)) return stdout;
    const reported = stderr.trim().slice(0, MAX_ERROR_CHARACTERS);
    throw new KeepFailed(
      "error",
      `git ${args[0] ?? ""}: ${reported || (exit.signal ?? `exit ${exit.exitCode}`)}`,
    );
  }

  #environment(
    place: GitPlace | undefined,
    [command]: readonly string[],
    isAlone: boolean,
  ): NodeJS.ProcessEnv {
    return {
      ...(command === READING && {
        GIT_ALTERNATE_OBJECT_DIRECTORIES: [...(isAlone ? [this.copies] : this.#borrowed)].join(":"),
      }),
      // This command refuses to take its paths literally.
      ...(command !== "check-ignore" && { GIT_LITERAL_PATHSPECS: "1" }),
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LC_ALL: "C",
      HOME: this.folder,
      XDG_CONFIG_HOME: this.folder,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_NO_LAZY_FETCH: "1",
      GIT_DIR: this.folder,
      ...(place && { GIT_WORK_TREE: place.workTree, GIT_INDEX_FILE: place.index }),
    };
  }
}

/** A git folder has little text; its largest file, the index, hardly gets smaller. */
const settingsFor = ({ kind, excludes }: GitPlace): readonly string[] => [
  "-c",
  `core.excludesFile=${excludes}`,
  ...(kind === "git" ? ["-c", "core.looseCompression=0"] : []),
];

/** Why the workspace could not be kept: a limit was exceeded, or git failed. */
export class KeepFailed extends Error {
  readonly code = "KEEP_FAILED";
  readonly why: "time" | "bytes" | "files" | "error";

  constructor(why: "time" | "bytes" | "files" | "error", message: string) {
    super(message);
    this.name = "KeepFailed";
    this.why = why;
  }
}
