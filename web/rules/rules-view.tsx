/** Rules: try an action, take suggestions, and every rule with its source and its use. */
import { useState } from "preact/hooks";
import type { ListedRule, RuleList } from "toolgate/serve/client";
import { api } from "../api.js";
import { live, me } from "../live.js";
import { act } from "../parts/act.js";
import { Loading, Note, Pick } from "../parts/controls.js";
import { NotRead } from "../parts/not-read.js";
import { Icon, type IconName } from "../parts/icon.js";
import { StatePill } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { goTo } from "../route.js";
import { projectsIn } from "../statistics/group-choices.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { counted, grouped, lastPart, shortDate, when } from "../words.js";
import { AddRule } from "./add-rule.js";
import { Suggested } from "./suggested.js";
import { TryRule } from "./try-rule.js";

/** Projects of so many recent sessions are offered. */
const MAX_SESSIONS = 200;

export function RulesView({ search }: { readonly search: string }) {
  const version = useStore(live, ({ rulesVersion, connections }) => rulesVersion + connections);
  const address = new URLSearchParams(search);
  // The server's own folder unless another project is chosen.
  const project = address.get("folder") ?? undefined;
  const of = project === undefined ? {} : { folder: project };
  const { data, error, reload } = useLoaded(() => api.rules(of), [version, project]);
  const { data: recent } = useLoaded(() => api.sessions({ limit: MAX_SESSIONS }), [version]);
  const own = useStore(me, (self) => self?.folder);
  const projects = projectsIn([own, project, ...(recent?.sessions ?? []).map(({ folder }) => folder)]);
  const role = useStore(me, (self) => self?.device.role);
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="scroll">
      <div class="bar">
        <h1>Rules</h1>
        {own !== undefined && projects.length > 1 && (
          <Pick
            label="Project"
            value={project ?? own}
            options={projects}
            isSet
            onPick={(folder) =>
              goTo(`/rules?${new URLSearchParams({ folder }).toString()}`, { isReplaced: true })
            }
          />
        )}
        <span class="faint xs no-phone">
          deny beats ask beats allow; a call that no rule names is asked about
        </span>
        <span class="end row">
          <span class="faint xs">{data ? `mode ${data.mode}` : ""}</span>
          {data && role === "all" && (
            <button type="button" class="btn" onClick={() => setAdding(true)}>
              <Icon name="plus" /> Add a rule
            </button>
          )}
        </span>
      </div>
      <div class="wrapper">
        <div class="halves">
          <TryRule first={address.get("command") ?? ""} of={of} onChanged={reload} />
          <Suggested version={version} of={of} onTaken={reload} />
        </div>
        {!data && error === undefined && <Loading what="the rules" />}
        {!data && error !== undefined && <NotRead what="rules" isList error={error} onRetry={reload} />}
        {data && <ProjectTrust list={data} onChanged={reload} />}
        {data && data.problems.length > 0 && (
          <Note icon="failed" tone="failed">
            {data.problems.join(" ")}
          </Note>
        )}
        {data && <RuleTable list={data} onChanged={reload} />}
      </div>
      {data && isAdding && <AddRule folder={data.folder} onAdded={reload} onClose={() => setAdding(false)} />}
    </div>
  );
}

type ListProps = { readonly list: RuleList; readonly onChanged: () => void };

function ProjectTrust({ list, onChanged }: ListProps) {
  const { project, folder } = list;
  const role = useStore(me, (self) => self?.device.role);
  if (!project || project.isTrusted) return null;
  const trust = async (): Promise<{ readonly text: string }> => {
    await api.trustProject({ folder, sha256: project.sha256 });
    onChanged();
    return { text: "The project's rules are trusted as shown." };
  };
  return (
    <section class="box">
      <h2>The project has rules of its own</h2>
      <p class="soft">
        <code>{project.file}</code> may only tighten until you trust it. This is all of it:
      </p>
      <pre class="json">
        <Visible text={project.text} />
      </pre>
      {role === "all" && (
        <div>
          <button type="button" class="btn" onClick={() => void act(trust, "Nothing was trusted.")}>
            Trust these rules
          </button>
        </div>
      )}
    </section>
  );
}

const SOURCES: readonly (readonly [string, string])[] = [
  ["all", "All"],
  ["user", "Yours"],
  ["grant", "Your answers"],
  ["project", "Project"],
  ["mode", "Mode"],
];

function RuleTable({ list, onChanged }: ListProps) {
  const [source, setSource] = useState("all");
  const of = (from: string): readonly ListedRule[] =>
    list.rules.filter((rule) => from === "all" || sourceOf(rule) === from);
  const shown = of(source);
  return (
    <section class="sec">
      <h2 class="row wrap">
        In force
        {SOURCES.map(([key, name]) => (
          <button
            key={key}
            type="button"
            class={source === key ? "chip on" : "chip"}
            aria-pressed={source === key}
            onClick={() => setSource(key)}
          >
            {name} {of(key).length}
          </button>
        ))}
        <span class="end">Used: how often it decided, last 30 days</span>
      </h2>
      {shown.length === 0 ? (
        <p class="soft">No rule here. An “always” in the inbox makes one, or a suggestion above.</p>
      ) : (
        <table class="table stacks">
          <thead>
            <tr>
              <th>Effect</th>
              <th>Rule</th>
              <th>Where</th>
              <th>Comes from</th>
              <th class="num">Used</th>
              <th class="num">Ends</th>
              <th>
                <span class="sr">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((rule, index) => (
              <RuleRow
                key={rule.grantId ?? `${rule.file} ${index}`}
                {...{ rule, onChanged }}
                mode={list.mode}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

const EFFECTS: Readonly<Record<ListedRule["effect"], readonly [tone: string, icon: IconName]>> = {
  allow: ["done", "done"],
  ask: ["waiting", "waiting"],
  deny: ["refused", "refused"],
};

type RowProps = { readonly rule: ListedRule; readonly mode: string; readonly onChanged: () => void };

function RuleRow({ rule, mode, onChanged }: RowProps) {
  const { grantId, effect, text, reason, uses, breaches, ignored, isOver, expiresAt } = rule;
  const role = useStore(me, (self) => self?.device.role);
  const [tone, icon] = EFFECTS[effect];
  const revoke = async (id: string): Promise<{ readonly text: string }> => {
    await api.revokeRule(id);
    onChanged();
    return { text: "The rule is revoked. Calls that it allowed ask again." };
  };
  return (
    <tr>
      <td>
        <span class={`st st-${tone}`}>
          <Icon name={icon} />
          {effect}
        </span>
      </td>
      <td class="wide">
        <code>
          <Visible text={text.replace(/^(?:allow|ask|deny) /, "")} isOneLine />
        </code>
        {reason !== undefined && (
          <>
            {" "}
            <span class="theirs">
              <Visible text={reason} isOneLine />
            </span>
          </>
        )}{" "}
        {breaches > 0 && <StatePill status="breach" word={counted(breaches, "breach", "breaches")} />}
        {ignored !== undefined && <span class="faint xs"> not in force: {ignored}</span>}
        {isOver && <span class="faint xs"> expired, allows nothing</span>}
      </td>
      <td class="soft">{whereWords(rule)}</td>
      <td class="soft">{rule.from === "mode" ? `Mode ${mode}` : sourceWords(rule)}</td>
      <td class="num" data-label="used">
        {grouped(uses)}
      </td>
      <td class="num soft" data-label="ends">
        {rule.scope === "session" ? "with session" : expiresAt === undefined ? "never" : shortDate(expiresAt)}
      </td>
      <td class="num">
        {grantId !== undefined && role === "all" && (
          <button
            type="button"
            class="btn small"
            onClick={() => void act(() => revoke(grantId), "Nothing was revoked.")}
            aria-label={`Revoke ${text}`}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}

function whereWords({ scope, where }: ListedRule): string {
  if (scope === "user") return "everywhere";
  if (scope === "session") return "one session";
  return where === undefined ? "this project" : lastPart(where);
}

/** A rule that a person added here is theirs, as one of their file is. */
const sourceOf = ({ from, addedBy }: ListedRule): string => (addedBy === undefined ? from : "user");

function sourceWords({ from, file, createdAt, addedBy }: ListedRule): string {
  const at = createdAt === undefined ? "" : when(createdAt);
  if (addedBy === "suggestion") return `Suggested, taken ${at}`;
  if (addedBy === "person") return `Added in the page, ${at}`;
  if (from === "grant") return at === "" ? "Your answer" : `Your answer, ${at}`;
  return `${from === "user" ? "Yours" : "Project"}, ${lastPart(file)}`;
}
