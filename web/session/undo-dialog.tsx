/** Shows the files and changes that an undo would put back, then undoes those that are chosen. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { UndoRequest, Undone } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { DiffView } from "../code/diff-view.js";
import { act } from "../parts/act.js";
import { Note } from "../parts/controls.js";
import { Icon } from "../parts/icon.js";
import { showToast } from "../parts/toast.js";
import { Visible } from "../parts/visible.js";
import { counted, sentence } from "../words.js";

type UndoProps = {
  readonly sessionId: string;
  readonly wanted: Pick<UndoRequest, "turnId" | "toolCallId">;
  readonly onClose: () => void;
};

type Hunk = NonNullable<Undone["hunks"]>[number];

const isOpen = ({ isUndone, why }: Hunk): boolean => !isUndone && why === undefined;

export function UndoDialog({ sessionId, wanted, onClose }: UndoProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [trial, setTrial] = useState<Undone>();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => {
    dialog.current?.showModal();
    const read = async (): Promise<void> => {
      const found = await api.undo(sessionId, { ...wanted, dryRun: true });
      setTrial(found);
      setChosen(new Set(found.hunks?.filter(isOpen).map(({ number }) => number)));
    };
    read().catch((error: unknown) => {
      showToast(`Nothing was undone. ${errorText(error)}`, "failed");
      onClose();
    });
  }, []);
  const undo = async (): Promise<void> => {
    const hunks = trial?.hunks && [...chosen];
    await act(async () => {
      const { isDone, why, paths } = await api.undo(sessionId, { ...wanted, ...(hunks && { hunks }) });
      const count = hunks ? counted(hunks.length, "change") : counted(paths.length, "file");
      return isDone
        ? { text: `${count} put back.`, icon: "undone" }
        : { text: `Nothing was undone. ${sentence(why ?? "")}`, icon: "failed" };
    }, "Nothing was undone.");
    onClose();
  };
  return (
    <dialog ref={dialog} class={trial?.hunks ? "wide" : ""} onClose={onClose} aria-labelledby="undo-title">
      <div class="stack-4">
        <h1 id="undo-title">{wanted.turnId === undefined ? "Undo this call" : "Undo this turn"}</h1>
        {!trial && <p class="soft">Reading what was kept …</p>}
        {trial && !trial.isPossible && (
          <Note icon="failed" tone="failed">
            <b>This cannot be undone.</b> {sentence(trial.why ?? whyNone(trial))} No file was touched.
          </Note>
        )}
        {trial?.hunks ? (
          <Hunks hunks={trial.hunks} chosen={chosen} onChoose={setChosen} />
        ) : (
          trial?.isPossible && <Paths paths={trial.paths} />
        )}
        {trial && trial.left.length > 0 && (
          <Note icon="exit">
            {counted(trial.left.length, "change")} stay:{" "}
            {trial.left
              .slice(0, 5)
              .map(({ path, reason }) => `${path}: ${reason}`)
              .join("; ")}
          </Note>
        )}
        <div class="row">
          {trial?.isPossible && (
            <button
              type="button"
              class="btn main"
              disabled={trial.hunks !== undefined && chosen.size === 0}
              onClick={() => void undo()}
            >
              <Icon name="undone" />
              Put back {trial.hunks ? counted(chosen.size, "change") : counted(trial.paths.length, "file")}
            </button>
          )}
          <button type="button" class="btn" onClick={onClose}>
            Leave it
          </button>
        </div>
      </div>
    </dialog>
  );
}

const whyNone = ({ hunks }: Undone): string =>
  hunks?.find(({ why }) => why !== undefined)?.why ??
  (hunks ? "all of its changes are undone" : "no file was kept");

function Paths({ paths }: { readonly paths: readonly string[] }) {
  return (
    <>
      <p>{paths.length === 1 ? "This file is" : `These ${paths.length} files are`} put back as before:</p>
      <ul class="stack">
        {paths.slice(0, 50).map((path) => (
          <li key={path}>
            <code class="anywhere">
              <Visible text={path} isOneLine />
            </code>
          </li>
        ))}
      </ul>
    </>
  );
}

type HunksProps = {
  readonly hunks: readonly Hunk[];
  readonly chosen: ReadonlySet<number>;
  readonly onChoose: (chosen: ReadonlySet<number>) => void;
};

function Hunks({ hunks, chosen, onChoose }: HunksProps) {
  const toggle = (number: number, isOn: boolean): void => {
    const next = new Set(chosen);
    if (isOn) next.add(number);
    else next.delete(number);
    onChoose(next);
  };
  return (
    <ul class="hunks">
      {hunks.map((hunk) => (
        <li key={hunk.number} class={hunk.isUndone ? "was" : ""}>
          <label class="row">
            <input
              type="checkbox"
              checked={chosen.has(hunk.number)}
              disabled={!isOpen(hunk)}
              onChange={(event) => toggle(hunk.number, event.currentTarget.checked)}
            />
            <b>Change {hunk.number}</b>
            <span class="faint">
              {hunk.isUndone ? "undone already" : hunk.why === undefined ? "" : sentence(hunk.why)}
            </span>
          </label>
          <DiffView diff={hunk.diff} isPlain />
        </li>
      ))}
    </ul>
  );
}
