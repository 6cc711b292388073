/**
 * What `--trust` named, against what the server asks about all the same: a rule that allows it does not help
 * there, and its owner decides which tools can be trusted.
 */
import { visibleText } from "../call/index.js";
import type { Ask } from "../run/index.js";
import { refuseAllWith } from "./ask-in-terminal.js";
import type { RunFlags } from "./commands/run.js";
import { note } from "./stderr.js";

export class NamedTrust {
  readonly #named: ReadonlySet<string>;
  readonly #isResumed: boolean;
  readonly #told = new Set<string>();

  constructor({ trust = [], resume }: Pick<RunFlags, "trust" | "resume">) {
    this.#named = new Set(trust);
    this.#isResumed = resume !== undefined;
  }

  /** How a call of this tool is asked about, by whoever is there; without anybody it is refused, with the way out. */
  askAbout(tool: string, person: Ask | undefined): Ask {
    const isNamed = this.#named.has(tool);
    if (isNamed && !this.#told.has(tool)) {
      this.#told.add(tool);
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
