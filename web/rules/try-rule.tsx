/** Decides on an action without doing it, and adds a rule where one would help. */
import { useEffect, useState } from "preact/hooks";
import type { NewRule, RuleTest, RuleTested } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { WholeCommand, Parts } from "../inbox/what.js";
import { useKeys } from "../keys.js";
import { me } from "../live.js";
import { act } from "../parts/act.js";
import { Note } from "../parts/controls.js";
import { Icon, type IconName } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { useStore } from "../store.js";
import { sentence } from "../words.js";

type ActionName = "command" | "read" | "write" | "url";

const ACTIONS: readonly (readonly [ActionName, string, string, IconName])[] = [
  ["command", "a command", "npm test && npm publish", "execute"],
  ["read", "a path to read", "~/.npmrc", "read"],
  ["write", "a path to write", "src/index.ts", "edit"],
  ["url", "a host", "https://example.com/", "fetch"],
];

type TryProps = {
  readonly first: string;
  /** The server's own folder unless given. */
  readonly of: Pick<RuleTest, "folder">;
  readonly onChanged: () => void;
};

export function TryRule({ first, of, onChanged }: TryProps) {
  const [action, setAction] = useState<ActionName>("command");
  const [text, setText] = useState(first);
  const [tested, setTested] = useState<RuleTested>();
  const [error, setError] = useState<string>();
  const testRule = async (test: RuleTest): Promise<void> => {
    try {
      setTested(await api.testRule(test));
      setError(undefined);
    } catch (failure) {
      setError(errorText(failure));
    }
  };
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === "") {
      setTested(undefined);
      return undefined;
    }
    const test: RuleTest = { [action]: wanted, ...of };
    const timer = setTimeout(() => {
      void testRule(test);
    }, 200);
    return () => clearTimeout(timer);
  }, [text, action, of.folder]);
  useKeys({ t: () => document.getElementById("try-action")?.focus() });
  const chosen = ACTIONS.find(([name]) => name === action) ?? ACTIONS[0];
  return (
    <section class="box">
      <h2>Try {chosen?.[1] ?? "a command"}</h2>
      <label class="field">
        <Icon name={chosen?.[3] ?? "execute"} />
        <span class="sr">The action to try</span>
        <input
          id="try-action"
          class="mono"
          value={text}
          spellcheck={false}
          autocomplete="off"
          placeholder={chosen?.[2]}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <kbd>T</kbd>
      </label>
      {error !== undefined && (
        <Note icon="failed" tone="failed">
          {error}
        </Note>
      )}
      {tested && <Tested tested={tested} of={of} onChanged={onChanged} />}
      <div class="row wrap">
        <span class="faint xs">Try instead</span>
        {ACTIONS.filter(([name]) => name !== action).map(([name, words]) => (
          <button key={name} type="button" class="chip" onClick={() => setAction(name)}>
            {words}
          </button>
        ))}
      </div>
    </section>
  );
}

const VERDICTS: Readonly<
  Record<RuleTested["verdict"], readonly [tone: string, icon: IconName, words: string]>
> = {
  allowed: ["done", "done", "Would run"],
  asks: ["waiting", "waiting", "Would ask"],
  denied: ["failed", "refused", "Would be refused"],
};

type TestedProps = Pick<TryProps, "of" | "onChanged"> & { readonly tested: RuleTested };

function Tested({ tested, of, onChanged }: TestedProps) {
  const { verdict, isContained, rule, reason, command, wouldAllow } = tested;
  const [tone, icon, words] = isContained
    ? (["contained", "contained", "Would run contained"] as const)
    : VERDICTS[verdict];
  return (
    <div class="stack" role="status">
      <div class="row wrap">
        <span class={`st st-${tone} pill`}>
          <Icon name={icon} />
          {words}
        </span>
        <span class="soft anywhere">
          <Visible text={reason === undefined ? "" : sentence(reason)} /> Nothing is run by trying.
        </span>
      </div>
      {rule !== undefined && (
        <p class="faint xs">
          By <code>{rule}</code>
        </p>
      )}
      {command && command.hiddenCharacters > 0 && <WholeCommand reading={command} />}
      {command && <Parts reading={command} />}
      {command && <Words command={command} />}
      {wouldAllow.length > 0 && <WouldAllow rules={wouldAllow} of={of} onChanged={onChanged} />}
    </div>
  );
}

function Words({ command }: { readonly command: NonNullable<RuleTested["command"]> }) {
  const asking = command.parts.find(({ verdict, words }) => verdict !== "allowed" && words.length > 0);
  if (!asking) return null;
  return (
    <div>
      <h3>How the words of part {command.parts.indexOf(asking) + 1} were read</h3>
      <dl class="kv">
        {asking.words.map(({ word, meaning }, index) => (
          <>
            <dt key={index}>
              <code class="anywhere">
                <Visible text={word} isOneLine />
              </code>
            </dt>
            <dd>
              <Visible text={meaning} isOneLine />
            </dd>
          </>
        ))}
      </dl>
    </div>
  );
}

type WouldProps = Pick<TryProps, "of" | "onChanged"> & { readonly rules: RuleTested["wouldAllow"] };

function WouldAllow({ rules, of, onChanged }: WouldProps) {
  const role = useStore(me, (self) => self?.device.role);
  const add = async (rule: NewRule["rule"]): Promise<{ readonly text: string }> => {
    const { text, warning } = await api.addRule({ rule, ...of });
    onChanged();
    return { text: `Added: ${text}.${warning === undefined ? "" : ` ${warning}`}` };
  };
  return (
    <div class="stack">
      <h3>Rules that would let it run unasked, in this project</h3>
      {rules.map(({ rule, text }) => (
        <div key={text} class="row">
          <code class="grow anywhere">
            <Visible text={text} isOneLine />
          </code>
          {role === "all" && (
            <button
              type="button"
              class="btn small"
              onClick={() => void act(() => add(rule), "No rule was added.")}
            >
              Add this rule
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
