/**
 * The tools that the server may run without asking: those of `--trust`, and those that the person lets run for the rest
 * of the session, which is all of an "always" that the protocol has. Local rules do not apply there, and the server's
 * owner decides which tools can be trusted.
 */
import type { AgentInfo, TurnRequest } from "../aap/client/index.js";
import { visibleText } from "../call/index.js";
import type { Answer, QuestionOption } from "../call/index.js";
import type { Ask } from "../run/index.js";
import { refuseAllWith } from "./ask-in-terminal.js";
import type { RunFlags } from "./commands/run.js";
import { note } from "./stderr.js";

const TRUST = "trust";

export class NamedTrust {
  readonly #named: ReadonlySet<string>;
  readonly #isResumed: boolean;
  readonly #reported = new Set<string>();
  readonly #tools: readonly string[];
  readonly #answered = new Set<string>();
  #isChanged = false;

  constructor({ trust = [], resume }: Pick<RunFlags, "trust" | "resume">, agent: AgentInfo | undefined) {
    this.#named = new Set(trust);
    this.#isResumed = resume !== undefined;
    this.#tools = (agent?.tools ?? []).map(({ name }) => name);
  }

  /** The answer that lets the tool run in the rest of the session; undefined where it would change nothing. */
  offerFor(tool: string, person: Ask | undefined): QuestionOption | undefined {
    const isTrusted = this.#named.has(tool) || this.#answered.has(tool);
    if (!person || isTrusted || !this.#tools.includes(tool)) return undefined;
    const sentence = `Let the server run ${visibleText(tool)} without asking in this session`;
    return {
      optionId: TRUST,
      name: sentence,
      kind: "allow_always",
      grant: { sentence, rules: [], scope: "session" },
    };
  }

  takeAnswer(tool: string, outcome: Answer["outcome"]): void {
    if (outcome.type !== "selected" || outcome.optionId !== TRUST) return;
    this.#answered.add(tool);
    this.#isChanged = true;
  }

  /** The trust that has changed since it was sent last. */
  settings(): Pick<TurnRequest, "agent"> {
    if (!this.#isChanged) return {};
    this.#isChanged = false;
    const isTrusted = (name: string): boolean => this.#named.has(name) || this.#answered.has(name);
    return {
      agent: { tools: this.#tools.map((name) => ({ name, ...(isTrusted(name) && { trust: true }) })) },
    };
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
