/** A session as a Markdown file. */
import type { SessionDetail } from "toolgate/serve/client";
import { api } from "../api.js";
import { act } from "../parts/act.js";

export function saveSession({ sessionId, title }: SessionDetail): Promise<void> {
  return act(async () => {
    const text = await api.exportSession(sessionId, "markdown");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
    link.download = `${title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "session"}.md`;
    link.click();
    URL.revokeObjectURL(link.href);
    return { text: "Exported as Markdown." };
  }, "Nothing was exported.");
}
