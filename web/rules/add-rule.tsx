/** Adds a rule that a person writes: what it does, to which kind of action, where, and until when. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { NewRule } from "toolgate/serve/client";
import { api } from "../api.js";
import { EXPIRIES, SCOPES } from "../inbox/choice.js";
import { act } from "../parts/act.js";
import { Pick } from "../parts/controls.js";

const EFFECTS = [
  ["allow", "Allow"],
  ["ask", "Ask about"],
  ["deny", "Deny"],
] as const;

/** The field of a rule that names what it is about, and an example of it. */
const KINDS = [
  ["execute", "commands", "command", "npm test *"],
  ["edit", "edits of files", "path", "src/**"],
  ["read", "reads of files", "path", "~/notes/**"],
  ["delete", "deletes of files", "path", "build/**"],
  ["fetch", "requests to hosts", "host", "docs.example.com"],
] as const;

type AddProps = { readonly folder: string; readonly onAdded: () => void; readonly onClose: () => void };

export function AddRule({ folder, onAdded, onClose }: AddProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [effect, setEffect] = useState<string>("allow");
  const [kind, setKind] = useState<string>("execute");
  const [pattern, setPattern] = useState("");
  const [scope, setScope] = useState<string>("project");
  const [expires, setExpires] = useState<string>("none");
  useEffect(() => dialog.current?.showModal(), []);
  const [, , field, example] = KINDS.find(([name]) => name === kind) ?? KINDS[0];
  const add = async (): Promise<{ readonly text: string }> => {
    const value = field === "path" ? wholePath(pattern.trim(), folder) : pattern.trim();
    const request: NewRule = {
      rule: { [effect]: kind, [field]: value },
      folder,
      scope: scope === "user" ? "user" : "project",
      ...(effect === "allow" && { expires: EXPIRIES.find(([key]) => key === expires)?.[0] ?? "none" }),
    };
    const { text, warning } = await api.addRule(request);
    onAdded();
    dialog.current?.close();
    return { text: `Added: ${text}.${warning === undefined ? "" : ` ${warning}`}` };
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="add-rule">
      <form
        class="stack-4"
        onSubmit={(event) => {
          event.preventDefault();
          void act(add, "No rule was added.");
        }}
      >
        <h1 id="add-rule">Add a rule</h1>
        <div class="row wrap">
          <Pick label="What the rule does" value={effect} options={EFFECTS} onPick={setEffect} />
          <Pick
            label="Kind of action"
            value={kind}
            options={KINDS.map(([name, words]) => [name, words] as const)}
            onPick={setKind}
          />
        </div>
        <label class="stack">
          <span class="med">{{ command: "The command", path: "The path", host: "The host" }[field]}</span>
          <span class="field">
            <input
              class="mono"
              value={pattern}
              placeholder={example}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => setPattern(event.currentTarget.value)}
            />
          </span>
          <span class="faint xs">
            {field === "path"
              ? "* stands for names in one folder, ** for any depth. A path without / is in the project."
              : field === "command"
                ? `A last * stands for any further words.${effect === "allow" ? " Flags that do harm ask all the same." : ""}`
                : "*.example.com stands for its subdomains."}
          </span>
        </label>
        <div class="row wrap">
          <Pick label="Where the rule holds" value={scope} options={SCOPES} onPick={setScope} />
          {effect === "allow" && (
            <Pick label="When the rule ends" value={expires} options={EXPIRIES} onPick={setExpires} />
          )}
        </div>
        <div class="row">
          <button type="submit" class="btn take" disabled={pattern.trim() === ""}>
            Add the rule
          </button>
          <button type="button" class="btn" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Rules have whole paths, or paths from the home folder. */
const wholePath = (path: string, folder: string): string =>
  /^[/~]/.test(path) ? path : `${folder}/${path.replace(/^\.\//, "")}`;
