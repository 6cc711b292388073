/**
 * The rules in force for a project: the user's, the project's, and the grants.
 *
 * Invariants: `current` never throws; a file that breaks or vanishes removes no denial; a file that could never be read
 * makes every call ask; a project's file allows nothing until the user has trusted its current bytes.
 */
import { join } from "node:path";
import type { Rule, UserPrograms } from "../policy/index.js";
import { FollowedFile } from "./followed-file.js";
import type { FileState, Parse } from "./followed-file.js";
import { GrantStore } from "./grant-store.js";
import { ProgramFiles } from "./program-files.js";
import { canonicalRoot } from "./project-root.js";
import { readRuleFile } from "./read-rule-file.js";
import { modeOf, ruleLayer } from "./rule-layer.js";
import type { Mode } from "../policy/modes.js";
import type { RuleFile } from "./rules-schema.js";
import { SettingsError } from "./settings-error.js";
import type { OpenDocument } from "./stored-document.js";
import { TrustedProjects } from "./trusted-projects.js";
import { watchFolder } from "./watch-folder.js";

export type RuleOrigin =
  | { readonly from: "user" | "project"; readonly file: string }
  | { readonly from: "grant"; readonly file: string; readonly grantId?: string };

export type IgnoredRule = { readonly rule: Rule; readonly why: string };

export type ProjectRules = { readonly file: string; readonly sha256: string; readonly isTrusted: boolean };

export type RulesInForce = {
  readonly rules: readonly Rule[];
  readonly mode: Mode;
  /** The user's own descriptions of programs. */
  readonly programs?: UserPrograms;
  readonly problems: readonly string[];
  /** Files without usable rules; each is replaced by one rule that asks about everything. */
  readonly unread: readonly string[];
  /** Allowing rules that are not in force. */
  readonly ignored: readonly IgnoredRule[];
  /** The origin of each rule. */
  readonly origins: ReadonlyMap<Rule, RuleOrigin>;
  /** The project's file, if it can be read. */
  readonly project?: ProjectRules;
};

export type RuleSourceOptions = {
  /** The settings folder. */
  readonly folder: string;
  /** Called once for each problem, when it is found. */
  readonly onProblem?: (problem: string) => void;
  readonly grants?: GrantStore;
  /** Where grants and trusted projects are: by default in files of the folder. */
  readonly open?: OpenDocument | undefined;
  readonly now?: () => number;
};

export class RuleSource {
  readonly grants: GrantStore;
  readonly #folder: string;
  readonly #user: FollowedFile<RuleFile>;
  readonly #trusted: TrustedProjects;
  readonly #programs: ProgramFiles;
  readonly #projects = new Map<string, FollowedFile<RuleFile>>();
  readonly #watches = new Map<string, () => void>();
  readonly #reported = new Map<string, string>();
  readonly #onProblem: (problem: string) => void;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #isClosed = false;

  constructor({ folder, onProblem = () => {}, now = Date.now, grants, open }: RuleSourceOptions) {
    this.#folder = folder;
    this.#user = new FollowedFile(join(folder, "rules.json"), parseRulesBelow());
    this.#trusted = new TrustedProjects(folder, open);
    this.#programs = new ProgramFiles(folder);
    this.grants = grants ?? new GrantStore(folder, { now, ...(open && { open }) });
    this.#onProblem = onProblem;
    this.#now = now;
  }

  current(projectRoot: string, sessionId?: string): RulesInForce {
    const root = canonicalRoot(projectRoot);
    const file = this.#projectFile(root);
    this.#watch(this.#folder, join(root, FOLDER));

    const [user, project] = [this.#user.current(), file.current()];
    const isTrusted = project.state === "good" && this.#trusted.isTrusted(root, project.sha256);
    const userLayer = ruleLayer(user, this.#user.path, true);
    const projectLayer = ruleLayer(project, file.path, isTrusted);
    const remembered = this.grants.rulesFor({ projectRoot: root, sessionId, now: this.#now() });
    const granted = remembered.filter(({ isUnbound }) => !isUnbound);
    const described = this.#programs.current();
    const origins = new Map<Rule, RuleOrigin>([
      ...described.rules.map((rule) => [rule, { from: "user", file: this.#folder }] as const),
      ...userLayer.rules.map((rule) => [rule, { from: "user", file: this.#user.path }] as const),
      ...projectLayer.rules.map((rule) => [rule, { from: "project", file: file.path }] as const),
      ...granted.map(
        ({ rule, ...grant }) => [rule, { from: "grant", file: this.grants.path, ...grant }] as const,
      ),
    ]);
    return {
      rules: [...origins.keys()],
      mode: modeOf([userLayer, projectLayer]),
      ...(described.programs && { programs: described.programs }),
      problems: this.#report([
        [this.#user.path, "problem" in user ? user.problem : undefined],
        [file.path, "problem" in project ? project.problem : undefined],
        [this.grants.path, this.grants.problem],
        [this.#trusted.path, this.#trusted.problem],
        ...described.problems,
      ]),
      unread: [
        ...(isUnread(user) ? [this.#user.path] : []),
        ...(isUnread(project) ? [file.path] : []),
        ...(granted.some(({ grantId }) => grantId === undefined) ? [this.grants.path] : []),
      ],
      ignored: [
        ...remembered.filter(({ isUnbound }) => isUnbound).map(({ rule }) => ({ rule, why: UNBOUND })),
        ...userLayer.ignored.map((rule) => ({ rule, why: `${this.#user.path} is gone` })),
        ...projectLayer.ignored.map((rule) => ({
          rule,
          why: `the content of ${file.path} is not trusted; see: toolgate rules trust`,
        })),
      ],
      origins,
      ...(project.state === "good" && { project: { file: file.path, sha256: project.sha256, isTrusted } }),
    };
  }

  /**
   * Trusts the current content of the project's rules. With `seen`, the SHA-256 that the user saw, only if the content is
   * still the same.
   */
  async trustProjectRules(projectRoot: string, seen?: string): Promise<ProjectRules> {
    const root = canonicalRoot(projectRoot);
    const file = this.#projectFile(root);
    const state = file.current();
    if (state.state !== "good") {
      const why = state.state === "absent" ? `${file.path} is not there.` : state.problem;
      throw new SettingsError("NOTHING_TO_TRUST", `${why} Nothing was trusted.`);
    }
    const { sha256 } = state;
    if (seen !== undefined && seen !== sha256) {
      throw new SettingsError(
        "CONTENT_CHANGED",
        `${file.path} has changed since it was shown. The file was not trusted; look at it again.`,
      );
    }
    await this.#trusted.trust(root, sha256, this.#now());
    return { file: file.path, sha256, isTrusted: true };
  }

  /** Calls the listener when the rules may have changed, here or in another process. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Called after this process has stored a rule, so that nobody waits until the change is seen on the disk. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Stops watching. `current` still works. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#watches.values()) end();
    this.#watches.clear();
  }

  #projectFile(root: string): FollowedFile<RuleFile> {
    const known = this.#projects.get(root);
    const file = known ?? new FollowedFile(join(root, FOLDER, "rules.json"), parseRulesBelow(root));
    if (!known) this.#projects.set(root, file);
    return file;
  }

  #watch(...folders: readonly string[]): void {
    for (const folder of folders) {
      if (this.#isClosed || this.#watches.has(folder)) continue;
      const end = watchFolder(folder, () => {
        for (const root of this.#projects.keys()) this.current(root);
        this.changed();
      });
      if (end) this.#watches.set(folder, end);
    }
  }

  #report(found: readonly (readonly [path: string, problem: string | undefined])[]): readonly string[] {
    for (const [path, problem] of found) {
      if (this.#reported.get(path) === problem) continue;
      if (problem === undefined) this.#reported.delete(path);
      else this.#reported.set(path, problem);
      if (problem !== undefined) this.#onProblem(problem);
    }
    return found.flatMap(([, problem]) => problem ?? []);
  }
}

const UNBOUND =
  "it was allowed before the folder and input of a command, or a tool's description, were kept with it; allow it again";

const FOLDER = ".toolgate";

const isUnread = (state: FileState<RuleFile>): boolean => state.state === "broken" && !state.lastGood;

const parseRulesBelow =
  (root?: string): Parse<RuleFile> =>
  (text, path) => {
    const reading = readRuleFile(text, path, root);
    return reading.ok ? { ok: true, value: reading.file } : reading;
  };
