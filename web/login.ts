/** Access: the one-time code behind the # of a link, or the cookie that the browser has already. */
import { api, isLoggedOut } from "./api.js";
import { deviceName } from "./device-name.js";
import { me, startLive } from "./live.js";
import { Store } from "./store.js";

export const loginError = new Store<string | undefined>(undefined);
/** The server did not answer when the page opened. */
export const isUnreachable = new Store(false);

/** The code behind the # of a link; it leaves the address at once, so that no history and no screenshot has it. */
function takeCode(): string | undefined {
  const { hash, pathname } = location;
  if (pathname !== "/login" || hash.length < 2) return undefined;
  history.replaceState(null, "", "/");
  dispatchEvent(new PopStateEvent("popstate"));
  return decodeURIComponent(hash.slice(1));
}

export async function login(): Promise<void> {
  const code = takeCode();
  if (code !== undefined && (await loginWith(code))) return;
  try {
    me.set(await api.me());
    isUnreachable.set(false);
    startLive();
  } catch (error) {
    if (isLoggedOut(error)) me.set(null);
    else {
      isUnreachable.set(true);
      setTimeout(() => void login(), 2_000);
    }
  }
}

export async function loginWith(code: string): Promise<boolean> {
  try {
    me.set(await api.login({ code: code.trim(), name: deviceName(navigator.userAgent) }));
    loginError.set(undefined);
    startLive();
    return true;
  } catch {
    loginError.set("This code does not work. Codes work once, and only for some minutes.");
    return false;
  }
}
