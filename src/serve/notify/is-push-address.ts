/** The push services of the browsers. A device names the address that messages go to, so other hosts need the user's word. */
const SERVICES = [
  "fcm.googleapis.com",
  "push.services.mozilla.com",
  "notify.windows.com",
  "push.apple.com",
] as const;

/** `further`: hosts of the user's own, with their port where it is another than the usual one; plain HTTP is for them only. */
export function isPushAddress(address: string, further: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return false;
  if (further.includes(url.host)) return url.protocol === "https:" || url.protocol === "http:";
  return (
    url.protocol === "https:" &&
    url.port === "" &&
    SERVICES.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`))
  );
}
