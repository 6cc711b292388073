/**
 * The remembered "always" answers, in `grants.json`. A grant expires for good: each grant stores the latest time seen, so
 * a clock that is set back revives none. Each grant has its own time; with a shared one, a clock that once ran ahead would
 * end every later grant. Only allowing rules expire; denying rules stay until they are revoked, also while the file is
 * broken or gone.
 */
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { writtenSentence } from "../policy/grants/grant.js";
import type { Grant, GrantScope, GrantWidth, Rule } from "../policy/index.js";
import type { FileState } from "./followed-file.js";
import { grantFileSchema } from "./grant-file.js";
import type { GrantFile, StoredGrant } from "./grant-file.js";
import { canonicalRoot } from "./project-root.js";
import type { OpenDocument, StoredDocument } from "./stored-document.js";
import { storedFile } from "./stored-file.js";
import { isTightening, strictRule } from "./strict-rule.js";

export type GrantStoreOptions = {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** A lock that nobody releases is taken over after this time. */
  readonly staleAfterMs?: number;
  /** Where the grants are: by default in a file. */
  readonly open?: OpenDocument;
};

/** `isOver`: the grant has expired and allows nothing. */
export type ListedGrant = Grant & { readonly isOver: boolean };

/**
 * No `grantId`: the rule replaces grants that cannot be read. `isUnbound`: an "always" from a version that did not store
 * the folder and input of a command, or the definition of a server's tool. Nobody knows what the user saw, so it allows
 * nothing.
 */
export type GrantedRule = { readonly rule: Rule; readonly grantId?: string; readonly isUnbound?: true };

export type GrantsFor = {
  readonly projectRoot: string;
  readonly sessionId?: string | undefined;
  readonly now: number;
};

/** The part of a grant that an answer stores. A rule that a person writes has no width. */
export type Remembered = Pick<Grant, "rules" | "sentence" | "addedBy"> & { readonly width?: GrantWidth };

/** The stored time may lag behind by this much while no grant expires. */
const CLOCK_STEP_MS = 60_000;

const NONE_IN_FORCE =
  "No remembered rule is in force: what they allowed is asked about, and so is every other call, since what they denied is not known. Put the file right, or remove it to begin without any.";
const LAST_IN_FORCE =
  "The remembered rules that were read last stay in force until toolgate is started again; from then on every call is asked about. Put the file right.";

/** The grant that an answer makes, short enough to type after `rules revoke`. */
export const grantIdOf = (questionId: string): string =>
  createHash("sha256").update(questionId).digest("hex").slice(0, 12);

export class GrantStore {
  readonly path: string;
  readonly #file: StoredDocument<GrantFile>;
  readonly #now: () => number;
  /** The latest time seen for each grant that can end, also when it could not be written. */
  readonly #clock = new Map<string, number>();

  constructor(folder: string, { now = Date.now, staleAfterMs, open = storedFile }: GrantStoreOptions = {}) {
    this.#file = open(join(folder, "grants.json"), {
      schema: () => grantFileSchema,
      empty: { version: 1, grants: [] },
      staleAfterMs,
    });
    this.path = this.#file.path;
    this.#now = now;
  }

  /** The problem with the file, if any, and its effect on later calls. */
  get problem(): string | undefined {
    const state = this.#file.current();
    if (state.state === "broken")
      return `${state.problem} ${state.lastGood === undefined ? NONE_IN_FORCE : LAST_IN_FORCE}`;
    return state.state === "gone" ? state.problem : undefined;
  }

  /** Adds nothing when the `grantId` exists: the same answer may be processed twice. */
  add(
    proposal: Remembered,
    scope: GrantScope,
    { expiresAt, grantId = randomUUID() }: { readonly expiresAt?: number; readonly grantId?: string } = {},
  ): Promise<Grant> {
    const createdAt = this.#now();
    const grant: Grant = {
      grantId,
      sentence: proposal.sentence,
      ...(proposal.width !== undefined && { width: proposal.width }),
      rules: proposal.rules,
      scope: scope.type === "project" ? { type: "project", root: canonicalRoot(scope.root) } : scope,
      createdAt,
      ...(proposal.addedBy !== undefined && { addedBy: proposal.addedBy }),
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

  /** A grant that was revoked meanwhile is not counted. */
  countUse(grantId: string): Promise<void> {
    return this.#file.change((file) => {
      if (!file.grants.some((grant) => grant.grantId === grantId)) return { result: undefined };
      const grants = file.grants.map((grant) =>
        grant.grantId === grantId ? { ...grant, uses: grant.uses + 1 } : grant,
      );
      return { value: { ...file, grants }, result: undefined };
    });
  }

  /** Never throws: for an unreadable file it returns the last known rules, or one that asks about everything. */
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
    // Not `>=`: an invalid time counts as expired.
    return !(seen < expiresAt);
  }

  #keepClock(file: GrantFile): void {
    if (!file.grants.some((grant) => this.#lags(grant))) return;
    try {
      this.#file.tryChange((latest) => {
        // Without a change nothing is written: a deleted file must not come back empty.
        if (!latest.grants.some((grant) => this.#lags(grant))) return { result: undefined };
        const grants = latest.grants.map((grant) => ({ ...grant, clockSeen: this.#seen(grant) }));
        return { value: { ...latest, grants }, result: undefined };
      });
    } catch {
      // This process remembers the time and tries again later.
    }
  }

  /** True when the stored time must catch up with the time seen. */
  #lags(grant: StoredGrant): boolean {
    const { expiresAt, clockSeen } = grant;
    if (expiresAt === undefined || clockSeen >= expiresAt) return false;
    const seen = this.#seen(grant);
    return seen >= expiresAt || seen - clockSeen > CLOCK_STEP_MS;
  }

  #seen({ grantId, clockSeen }: StoredGrant): number {
    return Math.max(clockSeen, this.#clock.get(grantId) ?? 0);
  }
}

/** Rules that a person wrote have themselves as their sentence. */
function isUnbound(rule: Rule, { sentence, rules }: Grant): boolean {
  if (!("allow" in rule) || sentence === writtenSentence(rules)) return false;
  if (rule.width !== undefined) return false;
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
