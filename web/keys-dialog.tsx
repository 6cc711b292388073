/** All keys, on "?". */
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "./keys.js";

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [["J", "K"], "next, previous"],
  [["Y"], "allow once, at once"],
  [["S"], "choose: for this session"],
  [["A"], "choose: always"],
  [["1", "2", "3"], "choose how wide always is"],
  [["Ctrl ⏎"], "give the chosen answer, send the prompt"],
  [["N"], "no"],
  [["R"], "no, because"],
  [["E"], "edit, then allow"],
  [["H"], "next change of the edit; Space rejects or keeps it"],
  [["L"], "all alike; there ⇧ Y and ⇧ N"],
  [["O"], "open the session"],
  [["X"], "take a dead question off the list"],
  [["P"], "next problem of the session; play a replay"],
  [["F"], "follow the end of the session"],
  [["T"], "terminal, as tables"],
  [["U"], "undo the focused call"],
  [["Esc"], "cancel the focused call, else leave"],
  [["/"], "search"],
  [["G", "I"], "inbox; then S sessions, H history, T statistics, R rules, D devices"],
  [["?"], "all keys"],
];

export function KeysDialog() {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ "?": () => setOpen(true) });
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog ref={dialog} onClose={() => setOpen(false)} aria-labelledby="all-keys">
      <div class="stack-4">
        <h1 id="all-keys">All keys</h1>
        <div class="keys-t">
          {KEYS.map(([keys, meaning]) => (
            <>
              <span class="nw">
                {keys.map((key) => (
                  <>
                    <kbd key={key}>{key}</kbd>{" "}
                  </>
                ))}
              </span>
              <span>{meaning}</span>
            </>
          ))}
        </div>
        <p class="faint xs">Keys rest in fields, and for half a second after a question appears.</p>
        <form method="dialog">
          <button class="btn">Close</button>
        </form>
      </div>
    </dialog>
  );
}
