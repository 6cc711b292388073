/** Rules that would have saved questions, replayed over the record. */
import { useState } from "preact/hooks";
import type { RuleTest, Suggestions } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { me } from "../live.js";
import { act } from "../parts/act.js";
import { Icon, type IconName } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { counted, grouped, lastPart } from "../words.js";

type SuggestedProps = {
  readonly version: number;
  readonly of: Pick<RuleTest, "folder">;
  readonly onTaken: () => void;
};

export function Suggested({ version, of, onTaken }: SuggestedProps) {
  const { data, error } = useLoaded(() => api.suggestions(of), [version, of.folder]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = (data?.suggestions ?? []).filter(({ id }) => !hidden.has(id));
  return (
    <section class="box">
      <h2>Suggested{data ? ` from the last ${data.days} days` : ""}</h2>
      <p class="faint xs">
        {data ? `Replayed over ${counted(data.commands, "recorded command")}. ` : ""}Installs, publishing and
        secrets are never suggested.
      </p>
      {!data && <p class="soft">{error === undefined ? "Reading the record …" : errorText(error)}</p>}
      {data && shown.length === 0 && <p class="soft">No rule would have saved a question.</p>}
      {shown.slice(0, 6).map((suggestion) => (
        <Suggestion
          key={suggestion.id}
          suggestion={suggestion}
          folder={data?.folder ?? ""}
          onTaken={onTaken}
          onHide={() => setHidden(new Set([...hidden, suggestion.id]))}
        />
      ))}
    </section>
  );
}

type SuggestionProps = {
  readonly suggestion: Suggestions["suggestions"][number];
  readonly folder: string;
  readonly onTaken: () => void;
  readonly onHide: () => void;
};

function Suggestion({ suggestion, folder, onTaken, onHide }: SuggestionProps) {
  const { rule, text, saved, allowed, saves, alsoLets, from } = suggestion;
  const role = useStore(me, (self) => self?.device.role);
  const take = async (): Promise<{ readonly text: string }> => {
    await api.addRule({ rule, folder, isSuggested: true });
    onTaken();
    return { text: `Added: ${text}.` };
  };
  return (
    <div class="suggest">
      <div class="row wrap">
        <Icon name="idea" />
        <code class="grow anywhere">
          <Visible text={text} isOneLine />
        </code>
        <button type="button" class="btn small" onClick={onHide}>
          Not now
        </button>
        {role === "all" && (
          <button type="button" class="btn small take" onClick={() => void act(take, "No rule was added.")}>
            Take this rule
          </button>
        )}
      </div>
      <p class="faint xs">
        in {lastPart(folder)}
        {allowed > 0 ? ` · you allowed it ${counted(allowed, "time")}` : ""}
        {from.length > 0 ? ` · named in ${from.join(", ")}` : ""}
      </p>
      <p>
        <b>
          Would have saved {saved === 0 ? "no question" : counted(saved, "question")}
          {saves.length === 0 ? "." : ":"}
        </b>{" "}
        {saves.length === 0 && <Also alsoLets={alsoLets} />}
      </p>
      <Commands icon="done" commands={saves} />
      {saves.length > 0 && (
        <p>
          <Also alsoLets={alsoLets} />
        </p>
      )}
      <Commands icon="exit" commands={alsoLets} />
    </div>
  );
}

const Also = ({ alsoLets }: Pick<SuggestionProps["suggestion"], "alsoLets">) =>
  alsoLets.length === 0
    ? "Nothing else would have run unasked."
    : "These would have run unasked too, and nobody has allowed them:";

const MAX_SHOWN = 4;

type CommandsProps = { readonly icon: IconName; readonly commands: readonly string[] };

function Commands({ icon, commands }: CommandsProps) {
  const [isWhole, setWhole] = useState(false);
  if (commands.length === 0) return null;
  const shown = isWhole ? commands : commands.slice(0, MAX_SHOWN);
  return (
    <>
      <ul class="eg">
        {shown.map((command) => (
          <li key={command}>
            <Icon name={icon} />
            <code>
              <Visible text={command} isOneLine />
            </code>
          </li>
        ))}
      </ul>
      {shown.length < commands.length && (
        <div>
          <button type="button" class="btn small" onClick={() => setWhole(true)}>
            Show all {grouped(commands.length)} commands
          </button>
        </div>
      )}
    </>
  );
}
