/** A notification for each new question while nobody looks at the tab. The text names the kind of call, not its content. */
import type { LiveFrame } from "toolgate/serve/client";
import { wantsNotifications } from "./wants-notifications.js";
import { goTo, questionPath } from "./route.js";

export function notify(frame: LiveFrame): void {
  if (frame.type !== "question" || frame.change !== "asked" || !document.hidden || !wantsNotifications())
    return;
  const { questionId, kind, agent } = frame.question;
  const notification = new Notification("Toolgate: an agent waits for your answer", {
    body: `${agent ?? "An agent"}: ${kind.replace("_", " ")}`,
    tag: questionId,
  });
  notification.addEventListener("click", () => {
    window.focus();
    goTo(questionPath(questionId));
    notification.close();
  });
}
