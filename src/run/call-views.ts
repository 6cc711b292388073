/**
 * The workspace of one call, from its check to its run. In an editor each read is a request, so the check requests a
 * text once for the intent and the preview, and the run requests it once more.
 *
 * Invariant: a text that a write is compared with was requested after the decision on the call, and at most a second
 * before the write.
 */
import type { CallView, Workspace } from "../tools/index.js";

export function callView(workspace: Workspace): CallView {
  return workspace.callView?.() ?? { workspace, forgetTexts: () => undefined };
}

/** The views of checked calls that run next. One that was asked about gets a new view: a person may take days. */
export class CheckedViews {
  readonly #views = new Map<string, CallView>();

  /** Keeps few: a call that does not run next does without. */
  put(toolCallId: string, view: CallView): void {
    if (this.#views.size >= MAX_VIEWS) this.#views.clear();
    this.#views.set(toolCallId, view);
  }

  take(toolCallId: string): CallView | undefined {
    const view = this.#views.get(toolCallId);
    this.#views.delete(toolCallId);
    return view;
  }
}

const MAX_VIEWS = 8;
