/** Shows the files and changes that an undo would put back, then undoes those that are chosen. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { UndoRequest, Undone } from "toolgate/serve/client";
import { api, errorText, isUnreachable } from "../api.js";
import { DiffView } from "../code/diff-view.js";
import { Note } from "../parts/controls.js";
import { Icon } from "../parts/icon.js";
import { showToast } from "../parts/toast.js";
import { useShortPaths } from "../parts/folder.js";
import { Visible } from "../parts/visible.js";
import { counted, sentence } from "../words.js";
import { toBeUndone, undoPaths, wasUndone, type UndoPaths } from "./undo-words.js";

type UndoProps = {
  readonly sessionId: string;
  readonly wanted: Pick<UndoRequest, "turnId" | "toolCallId">;
  readonly onClose: () => void;
};

type Hunk = NonNullable<Undone["hunks"]>[number];

const NOTHING = "No file was kept. Nothing was undone.";

/** A refusal of the server says itself what did not happen. */
const failureText = (error: unknown): string =>
  isUnreachable(error) ? `Nothing was undone. ${errorText(error)}` : errorText(error);

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
      showToast(failureText(error), "failed");
      onClose();
    });
  }, []);
  const undo = async (): Promise<void> => {
    const hunks = trial?.hunks && [...chosen];
    try {
      const {
        isDone,
        why = NOTHING,
        paths,
      } = await api.undo(sessionId, { ...wanted, ...(hunks && { hunks }) });
      const text = hunks
        ? `${counted(hunks.length, "change")} put back.`
        : wasUndone(undoPaths(paths, trial?.removes));
      showToast(isDone ? text : why, isDone ? "undone" : "failed");
    } catch (error) {
      showToast(failureText(error), "failed");
    }
    onClose();
  };
  return (
    <dialog ref={dialog} class={trial?.hunks ? "wide" : ""} onClose={onClose} aria-labelledby="undo-title">
      <div class="stack-4">
        <h1 id="undo-title">{wanted.turnId === undefined ? "Undo this call" : "Undo this turn"}</h1>
        {!trial && <p class="soft">Reading what was kept …</p>}
        {trial && !trial.isPossible && (
          <Note icon="failed" tone="failed">
            <Visible text={trial.why ?? NOTHING} />
          </Note>
        )}
        {trial?.hunks ? (
          <Hunks hunks={trial.hunks} chosen={chosen} onChoose={setChosen} />
        ) : (
          trial?.isPossible && <Paths paths={undoPaths(trial.paths, trial.removes)} />
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
              {trial.hunks
                ? `Put back ${counted(chosen.size, "change")}`
                : toBeUndone(undoPaths(trial.paths, trial.removes))}
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

const MAX_PATHS = 50;

function Paths({ paths: { back, files, folders } }: { readonly paths: UndoPaths }) {
  const lines = [
    ...back.map((path) => ["Puts back", path] as const),
    ...files.map((path) => ["Removes", path] as const),
    ...folders.map((path) => ["Removes the folder", path] as const),
  ];
  return (
    <>
      <ul class="stack">
        {lines.slice(0, MAX_PATHS).map(([does, path]) => (
          <PathLine key={path} does={does} path={path} />
        ))}
        {lines.length > MAX_PATHS && (
          <li class="faint">and {counted(lines.length - MAX_PATHS, "more path")}</li>
        )}
      </ul>
      {folders.length > 0 && <p class="faint xs">A folder stays when something else is in it.</p>}
    </>
  );
}

function PathLine({ does, path }: { readonly does: string; readonly path: string }) {
  const inProject = useShortPaths();
  return (
    <li>
      {does}{" "}
      <code class="anywhere">
        <Visible text={inProject(path)} isOneLine />
      </code>
    </li>
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
          <label class="opt">
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
