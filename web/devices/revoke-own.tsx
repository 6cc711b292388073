/** Asks before a browser revokes itself: it is logged out at once, and nothing here can undo that. */
import { useEffect, useRef } from "preact/hooks";

type RevokeOwnProps = { readonly onRevoke: () => void; readonly onClose: () => void };

export function RevokeOwn({ onRevoke, onClose }: RevokeOwnProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="revoke-title">
      <div class="stack-4">
        <h1 id="revoke-title">Revoke this browser?</h1>
        <p>
          It is logged out at once. To use the page here again, run <code>toolgate pair</code> on the machine
          where Toolgate runs, or open Devices on another paired device.
        </p>
        <div class="row">
          <button type="button" class="btn main" onClick={onRevoke}>
            Revoke and log out
          </button>
          <button type="button" class="btn" onClick={onClose}>
            Keep it
          </button>
        </div>
      </div>
    </dialog>
  );
}
