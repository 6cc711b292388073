/** The page before a device is paired. */
import { useState } from "preact/hooks";
import { linkBefore } from "./inbox/link-key.js";
import { loginError, loginWith } from "./login.js";
import { Empty, Note } from "./parts/controls.js";
import { Icon } from "./parts/icon.js";
import { useStore } from "./store.js";

const LINKS = {
  used: [
    "This link was used up",
    "Such a link works for one answer, and for a time. You can close this page.",
  ],
  opened: [
    "The key of this link is gone",
    "The address never keeps it, and a reload forgets it. Open the link again from where you have it.",
  ],
} as const;

/** Also for a browser that was led here by a link to one question, and has no other access. */
export function LoginView() {
  const [link, setLink] = useState(linkBefore());
  if (link === undefined) return <PairingView />;
  const [title, text] = LINKS[link];
  return (
    <main class="gate">
      <Empty icon="withdrawn" title={title}>
        <p>{text}</p>
        <p>
          <button type="button" class="btn" onClick={() => setLink(undefined)}>
            Pair this device
          </button>
        </p>
      </Empty>
    </main>
  );
}

function PairingView() {
  const [code, setCode] = useState("");
  const error = useStore(loginError, (value) => value);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (code.trim() !== "") void loginWith(code);
  };
  return (
    <main class="gate">
      <div>
        <div class="row">
          <Icon name="gate" />
          <h1>Pair this device</h1>
        </div>
        <p class="soft">
          Toolgate shows its page only to devices that you paired. Run <code>toolgate pair</code> on the
          machine where it runs, or open Devices on a paired one, and type the code here.
        </p>
        <form class="stack" onSubmit={submit}>
          <label class="stack">
            <span class="med">Code</span>
            <span class="field">
              <input
                class="mono"
                value={code}
                autocomplete="one-time-code"
                autocapitalize="characters"
                spellcheck={false}
                placeholder="K7QF-2M9X-TT41"
                onInput={(event) => setCode(event.currentTarget.value)}
              />
            </span>
          </label>
          <button class="btn main" disabled={code.trim() === ""}>
            Pair
          </button>
        </form>
        {error !== undefined && (
          <div role="alert">
            <Note icon="failed" tone="failed">
              {error}
            </Note>
          </div>
        )}
        <p class="faint xs">A code works once, for some minutes, and holds no key.</p>
      </div>
    </main>
  );
}
