/**
 * The remembered "always", in `grants.json`. A grant ends when its time is up, and then for good: the
 * latest time that was seen is kept with each grant, so a clock that is set back revives none. It is kept
 * by grant and not for all, or a clock that once ran ahead would end every later grant too. Only what a
 * grant allows ends; what it denies stays until it is revoked, also while its file is broken or gone.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { visibleText } from "../call/index.js";
import type { Grant, GrantScope, Proposal } from "../policy/grant.js";
import type { Rule } from "../policy/index.js";
import type { FileState } from "./followed-file.js";
import { grantFileSchema, NO_GRANTS } from "./grant-file.js";
import type { GrantFile, StoredGrant } from "./grant-file.js";
import { canonicalRoot } from "./project-root.js";
import { StoredFile } from "./stored-file.js";
import { isTightening, strictRule } from "./strict-rule.js";

export type GrantStoreOptions = {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** After how many milliseconds a lock that nobody gives back is taken over. */
  readonly staleAfter?: number;
};

/** `isOver`: its time is up, and it allows nothing any more. */
export type ListedGrant = Grant & { readonly isOver: boolean };

/**
 * No `grantId`: the rule stands for grants that cannot be read. `isUnbound`: an "always" from before the folder and the
 * input of a command, or the definition of a server's tool, were kept with it. Nobody knows what was shown then, so it
 * allows nothing.
 */
export type GrantedRule = { readonly rule: Rule; readonly grantId?: string; readonly isUnbound?: true };

export type GrantsFor = {
  readonly projectRoot: string;
  readonly sessionId?: string | undefined;
  readonly now: number;
};

/** How far the kept time may lag behind while nothing ends. */
const CLOCK_STEP = 60_000;

const NONE_IN_FORCE =
  "No remembered rule is in force: what they allowed is asked about, and so is every other call, since what they denied is not known. Put the file right, or remove it to begin without any.";
const LAST_IN_FORCE =
  "The remembered rules that were read last stay in force until toolgate is started again; from then on every call is asked about. Put the file right.";

export class GrantStore {
  readonly path: string;
  readonly #file: StoredFile<GrantFile>;
  readonly #now: () => number;
  /** The latest time seen for each grant that can end, also when it could not be written. */
  readonly #clock = new Map<string, number>();

  constructor(folder: string, { now = Date.now, staleAfter }: GrantStoreOptions = {}) {
    this.path = join(folder, "grants.json");
    this.#file = new StoredFile(this.path, { schema: grantFileSchema, empty: NO_GRANTS, staleAfter });
    this.#now = now;
  }

  /** What is wrong with the file, if anything, and what that means for the calls to come. */
  get problem(): string | undefined {
    const state = this.#file.current();
    if (state.state === "broken")
      return `${state.problem} ${state.lastGood === undefined ? NONE_IN_FORCE : LAST_IN_FORCE}`;
    return state.state === "gone" ? state.problem : undefined;
  }

  /** With a `grantId` that is known already nothing is added: the same answer may be taken up twice. */
  add(
    proposal: Proposal,
    scope: GrantScope,
    { expiresAt, grantId = randomUUID() }: { readonly expiresAt?: number; readonly grantId?: string } = {},
  ): Promise<Grant> {
    const createdAt = this.#now();
    const grant: Grant = {
      grantId,
      sentence: proposal.sentence,
      rules: proposal.rules,
      scope: scope.type === "project" ? { type: "project", root: canonicalRoot(scope.root) } : scope,
      createdAt,
      ...(expiresAt !== undefined && { expiresAt }),
      uses: 0,
    };
    const stored: StoredGrant = { ...grant, clockSeen: createdAt };
    return this.#file.change((file) => {
      const known = file.grants.find((one) => one.grantId === grantId);
      if (known) return { result: known };
      return { value: { ...file, grants: [...file.grants, stored] }, result: grant };
    });
  }

  list(): readonly ListedGrant[] {
    const now = this.#now();
    return knownIn(this.#file.current()).map(({ clockSeen, ...grant }) => ({
      ...grant,
      isOver: this.#isOver({ ...grant, clockSeen }, now),
    }));
  }

  /** False when there is no such grant. */
  revoke(grantId: string): Promise<boolean> {
    return this.#file.change((file) => {
      const grants = file.grants.filter((grant) => grant.grantId !== grantId);
      if (grants.length === file.grants.length) return { result: false };
      return { value: { ...file, grants }, result: true };
    });
  }

  /** One that was revoked meanwhile is not counted. */
  countUse(grantId: string): Promise<void> {
    return this.#file.change((file) => {
      if (!file.grants.some((grant) => grant.grantId === grantId)) return { result: undefined };
      const grants = file.grants.map((grant) =>
        grant.grantId === grantId ? { ...grant, uses: grant.uses + 1 } : grant,
      );
      return { value: { ...file, grants }, result: undefined };
    });
  }

  /** Never throws: a file that cannot be read leaves what was last known, or everything asked. */
  rulesFor({ projectRoot, sessionId, now }: GrantsFor): readonly GrantedRule[] {
    const state = this.#file.current();
    if (state.state === "broken" && state.lastGood === undefined) return [{ rule: strictRule(this.path) }];
    const root = canonicalRoot(projectRoot);
    const granted = knownIn(state).flatMap((grant) => {
      const onlyTightens = this.#isOver(grant, now) || state.state === "gone";
      if (!isFor(grant.scope, root, sessionId)) return [];
      const rules = onlyTightens ? grant.rules.filter(isTightening) : grant.rules;
      return rules.map((rule) => ({
        rule,
        grantId: grant.grantId,
        ...(isUnbound(rule, grant) && { isUnbound: true as const }),
      }));
    });
    if (state.state === "good") this.#keepClock(state.value);
    return granted;
  }

  #isOver({ grantId, expiresAt, clockSeen }: StoredGrant, now: number): boolean {
    if (expiresAt === undefined) return false;
    const seen = Math.max(now, clockSeen, this.#clock.get(grantId) ?? 0);
    this.#clock.set(grantId, seen);
    // Not `>=`: a time that is no number is up.
    return !(seen < expiresAt);
  }

  #keepClock(file: GrantFile): void {
    if (!file.grants.some((grant) => this.#lags(grant))) return;
    try {
      this.#file.tryChange((latest) => {
        // Nothing to mark, nothing to write: least of all an empty file where one has just gone.
        if (!latest.grants.some((grant) => this.#lags(grant))) return { result: undefined };
        const grants = latest.grants.map((grant) => ({ ...grant, clockSeen: this.#seen(grant) }));
        return { value: { ...latest, grants }, result: undefined };
      });
    } catch {
      // This process remembers it, and tries again the next time.
    }
  }

  /** Whether the time kept in the file must be brought up to what was seen. */
  #lags(grant: StoredGrant): boolean {
    const { expiresAt, clockSeen } = grant;
    if (expiresAt === undefined || clockSeen >= expiresAt) return false;
    const seen = this.#seen(grant);
    return seen >= expiresAt || seen - clockSeen > CLOCK_STEP;
  }

  #seen({ grantId, clockSeen }: StoredGrant): number {
    return Math.max(clockSeen, this.#clock.get(grantId) ?? 0);
  }
}

/** A rule that a person wrote with `toolgate rules add` is known by its sentence, which is the rule itself. */
function isUnbound(rule: Rule, { sentence }: Grant): boolean {
  if (!("allow" in rule) || sentence === visibleText(JSON.stringify(rule))) return false;
  if (rule.command !== undefined) return rule.folder === undefined || rule.input === undefined;
  return rule.server !== undefined && (rule.definition === undefined || rule.fingerprint === undefined);
}

function knownIn(state: FileState<GrantFile>): readonly StoredGrant[] {
  if (state.state === "absent") return [];
  return (state.state === "good" ? state.value : state.lastGood)?.grants ?? [];
}

function isFor(scope: GrantScope, root: string, sessionId: string | undefined): boolean {
  switch (scope.type) {
    case "user":
      return true;
    case "project":
      return scope.root === root;
    case "session":
      return scope.sessionId === sessionId;
    default:
      return scope satisfies never;
  }
}
