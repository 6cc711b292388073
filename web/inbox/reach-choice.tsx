/** How far a yes reaches: once, this session, always; with the exact rule that would be stored. */
import type { RefObject } from "preact";
import type { GrantWidth, QuestionDetail } from "toolgate/serve/client";
import { me } from "../live.js";
import { withShortPaths } from "../parts/folder.js";
import { Note, Pick } from "../parts/controls.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { useStore } from "../store.js";
import { sentence } from "../words.js";
import { ExactRule } from "./exact-rule.js";
import { canReach, chosenWidth, EXPIRIES, SCOPES, type Choice, type Reach } from "./choice.js";

type ReachProps = {
  readonly question: QuestionDetail;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
  /** Gets the element that ends with the rule. */
  readonly rule?: RefObject<HTMLDivElement | null>;
  /** How many questions the answer is for. */
  readonly count?: number;
};

const NAMES: Readonly<Record<Reach, string>> = { once: "Once", session: "Session", always: "Always" };
const KEYS: Readonly<Record<Reach, string>> = { once: "", session: "S", always: "A" };
const REACHES = ["once", "session", "always"] as const;

export function ReachChoice({ question, choice, onChoose, rule, count = 1 }: ReachProps) {
  const { answers, sessionTitle } = question;
  const width = chosenWidth(question, choice);
  const role = useStore(me, (self) => self?.device.role);
  return (
    <>
      <div class="seg reach" role="group" aria-label="How far the answer reaches">
        {REACHES.map((reach) => (
          <button
            key={reach}
            type="button"
            aria-pressed={choice.reach === reach}
            disabled={!canReach(question, reach, role)}
            onClick={() => onChoose({ ...choice, reach })}
          >
            {NAMES[reach]}
            {KEYS[reach] !== "" && <kbd>{KEYS[reach]}</kbd>}
          </button>
        ))}
      </div>
      {choice.reach === "once" && (
        <p class="soft">
          {count === 1
            ? "This call only. The next one asks again."
            : `These ${count} calls only, each with its own answer.`}
        </p>
      )}
      {choice.reach === "session" && (
        <p class="soft">
          Until “<Visible text={sessionTitle} isOneLine />” ends.
        </p>
      )}
      {choice.reach !== "once" && answers.always.length > 1 && <Widths {...{ question, choice, onChoose }} />}
      {choice.reach === "always" && (
        <div class="row wrap">
          <Pick
            label="Where the rule holds"
            value={choice.scope}
            options={SCOPES}
            isSet
            onPick={(scope) => onChoose({ ...choice, scope: scope === "user" ? "user" : "project" })}
          />
          <Pick
            label="When the rule ends"
            value={choice.expires}
            options={EXPIRIES}
            isSet
            onPick={(expires) =>
              onChoose({ ...choice, expires: EXPIRIES.find(([key]) => key === expires)?.[0] ?? "none" })
            }
          />
        </div>
      )}
      {choice.reach !== "once" && width && (
        <ExactRule {...{ width, rule, choice, onChoose }} where={whereWords(question, choice)} />
      )}
      {choice.reach !== "once" && width && choice.ownRules === undefined && (
        <Examples width={width} folder={question.folder} />
      )}
      {role === "answer" && (
        <Note icon="rule">
          This device answers once or for the session. Rules and changed inputs need another.
        </Note>
      )}
      {role === "all" && !canReach(question, "always", role) && (
        <Note icon="rule">
          <b>Always is not offered.</b> {sentence(answers.whyNotAlways ?? "no rule can answer this question")}{" "}
          <a href="/rules">Open Rules</a>
        </Note>
      )}
    </>
  );
}

function whereWords({ folder, sessionTitle }: QuestionDetail, { reach, scope, expires }: Choice): string {
  if (reach === "session") return `in this session: ${sessionTitle}`;
  const place = scope === "user" ? "everywhere" : `in ${folder ?? "this project"}`;
  const end =
    expires === "none" ? "without end" : (EXPIRIES.find(([key]) => key === expires)?.[1].toLowerCase() ?? "");
  return `${place}, ${end}`;
}

function Widths({ question, choice, onChoose }: ReachProps) {
  const chosen = chosenWidth(question, choice);
  return (
    <div role="radiogroup" aria-label="How wide the rule is">
      {question.answers.always.map((width, index) => (
        <label key={width.width} class="opt">
          <input
            type="radio"
            name="width"
            checked={width === chosen}
            onChange={() => onChoose({ ...choice, width: index, ownRules: undefined })}
          />
          <WidthLines lines={width.lines} />
          {index < 3 && <kbd>{index + 1}</kbd>}
        </label>
      ))}
    </div>
  );
}

type LinesProps = {
  readonly lines: GrantWidth["lines"];
  /** Stands before the first line. */
  readonly before?: string;
};

/** A line for each act that the width decides, and below it, quieter, what more there is to know. */
export function WidthLines({ lines, before = "" }: LinesProps) {
  return (
    <span class="width-lines">
      {lines.map(({ text, note }, index) => (
        <span key={index}>
          <span class="med">
            {index === 0 && before}
            <Coded text={index === 0 && before !== "" ? text : capital(text)} />
          </span>
          {note !== undefined && (
            <span class="d">
              <Coded text={capital(note)} />
            </span>
          )}
        </span>
      ))}
    </span>
  );
}

/** A word of the language begins with a capital; a tool's name stays as it is. */
const capital = (text: string): string =>
  text.replace(/^[a-z]+(?=[\s,])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** `npm test` between backticks as code. */
function Coded({ text }: { readonly text: string }) {
  return (
    <>
      {text.split("`").map((piece, index) =>
        index % 2 === 1 ? (
          <code key={index}>
            <Visible text={piece} isOneLine />
          </code>
        ) : (
          <Visible key={index} text={piece} isOneLine />
        ),
      )}
    </>
  );
}

function Examples({ width, folder }: { readonly width: GrantWidth; readonly folder: string | undefined }) {
  if (width.examples.length === 0) return null;
  return (
    <div>
      <h3>Would also allow, for example</h3>
      <ul class="eg">
        {width.examples.map((example) => (
          <li key={example}>
            <Icon name="done" />
            <code>
              <Visible text={folder === undefined ? example : withShortPaths(example, folder)} isOneLine />
            </code>
          </li>
        ))}
      </ul>
    </div>
  );
}
