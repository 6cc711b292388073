/** Whether this browser shows notifications while the tab is in the background. */
const KEY = "toolgate-notify";

export const wantsNotifications = (): boolean =>
  typeof Notification !== "undefined" &&
  Notification.permission === "granted" &&
  localStorage.getItem(KEY) === "on";

export const wantNotifications = (isOn: boolean): void => localStorage.setItem(KEY, isOn ? "on" : "off");
