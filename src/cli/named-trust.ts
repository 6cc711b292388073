/**
 * The tools of `--trust` that the server still asks about: local rules do not apply there, and the server's owner
 * decides which tools can be trusted.
 */
import { visibleText } from "../call/index.js";
import type { Ask } from "../run/index.js";
import { refuseAllWith } from "./ask-in-terminal.js";
import type { RunFlags } from "./commands/run.js";
import { note } from "./stderr.js";

export class NamedTrust {
  readonly #named: ReadonlySet<string>;
  readonly #isResumed: boolean;
  readonly #reported = new Set<string>();

  constructor({ trust = [], resume }: Pick<RunFlags, "trust" | "resume">) {
    this.#named = new Set(trust);
    this.#isResumed = resume !== undefined;
  }

  /** How to ask about a call of this tool. Without a person the call is refused, with a reason that says what to do. */
  askAbout(tool: string, person: Ask | undefined): Ask {
    const isNamed = this.#named.has(tool);
    if (isNamed && !this.#reported.has(tool)) {
      this.#reported.add(tool);
      note(
        `the server asks about ${tool} although --trust names it: its owner decides which tools can be trusted.`,
      );
    }
    if (person) return person;
    if (isNamed) return refuseAllWith("run it in one, for the server does not let this be trusted");
    const flag = `--trust ${visibleText(tool)}`;
    return refuseAllWith(
      this.#isResumed
        ? `run it in one, or start a new session, if the server's owner allows that, with: ${flag}`
        : `run it in one, or let the server run it without asking, if its owner allows that, with: ${flag}`,
    );
  }
}
