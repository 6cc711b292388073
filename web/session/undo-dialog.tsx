/** Shows the files that an undo would put back, then undoes. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { UndoRequest, Undone } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
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

export function UndoDialog({ sessionId, wanted, onClose }: UndoProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [trial, setTrial] = useState<Undone>();
  useEffect(() => {
    dialog.current?.showModal();
    api.undo(sessionId, { ...wanted, dryRun: true }).then(setTrial, (error: unknown) => {
      showToast(`Nothing was undone. ${errorText(error)}`, "failed");
      onClose();
    });
  }, []);
  const undo = async (): Promise<void> => {
    try {
      const { isDone, why, paths } = await api.undo(sessionId, wanted);
      showToast(
        isDone ? `${counted(paths.length, "file")} put back.` : `Nothing was undone. ${sentence(why ?? "")}`,
        isDone ? "undone" : "failed",
      );
    } catch (error) {
      showToast(`Nothing was undone. ${errorText(error)}`, "failed");
    }
    onClose();
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="undo-title">
      <div class="stack-4">
        <h1 id="undo-title">{wanted.turnId === undefined ? "Undo this call" : "Undo this turn"}</h1>
        {!trial && <p class="soft">Reading what was kept …</p>}
        {trial && !trial.isPossible && (
          <Note icon="failed" tone="failed">
            <b>This cannot be undone.</b> {sentence(trial.why ?? "no file was kept")} No file was touched.
          </Note>
        )}
        {trial?.isPossible && (
          <>
            <p>
              {trial.paths.length === 1
                ? "This file is put back"
                : `These ${trial.paths.length} files are put back`}{" "}
              as before:
            </p>
            <ul class="stack">
              {trial.paths.slice(0, 50).map((path) => (
                <li key={path}>
                  <code class="anywhere">
                    <Visible text={path} isOneLine />
                  </code>
                </li>
              ))}
            </ul>
          </>
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
            <button type="button" class="btn main" onClick={() => void undo()}>
              <Icon name="undone" />
              Put back {counted(trial.paths.length, "file")}
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
