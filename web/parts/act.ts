/** Does something for a person and says what became of it. */
import { errorText } from "../api.js";
import type { IconName } from "./icon.js";
import { showToast } from "./toast.js";

type Done = { readonly text: string; readonly icon?: IconName };

/** `failed`: what did not happen, such as "Nothing was revoked." */
export async function act(action: () => Promise<Done | undefined>, failed: string): Promise<void> {
  try {
    const done = await action();
    if (done) showToast(done.text, done.icon);
  } catch (error) {
    showToast(`${failed} ${errorText(error)}`, "failed");
  }
}
