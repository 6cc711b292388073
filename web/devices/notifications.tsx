/** Notifications of this browser for new questions, while the page is open in a tab. */
import { useState } from "preact/hooks";

const KEY = "toolgate-notify";

export const wantsNotifications = (): boolean =>
  typeof Notification !== "undefined" &&
  Notification.permission === "granted" &&
  localStorage.getItem(KEY) === "on";

export function Notifications() {
  const [isOn, setOn] = useState(wantsNotifications());
  if (typeof Notification === "undefined") return null;
  const turn = async (): Promise<void> => {
    const isGranted = !isOn && (await Notification.requestPermission()) === "granted";
    localStorage.setItem(KEY, isGranted ? "on" : "off");
    setOn(isGranted);
  };
  return (
    <section class="box">
      <h2>Notifications in this browser</h2>
      <p class="soft">
        When a question comes while this tab is in the background. Only the kind of call is named, never the
        command.
      </p>
      <div>
        <button type="button" class="btn" aria-pressed={isOn} onClick={() => void turn()}>
          {isOn ? "Turn them off" : "Turn them on"}
        </button>
      </div>
    </section>
  );
}
