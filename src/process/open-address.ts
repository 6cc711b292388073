/** Opens an address in the user's browser, which belongs to the user and stays when we end. */
import { spawn } from "node:child_process";

/** False where there is no display, or no program to open it with. */
export async function openAddress(url: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const argv = opener(env);
  if (!argv) return false;
  const [program, ...args] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: "ignore", env });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

function opener(env: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  const chosen = env["BROWSER"];
  if (chosen !== undefined && chosen !== "") return [chosen];
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const hasDisplay = [env["DISPLAY"], env["WAYLAND_DISPLAY"]].some(
    (name) => name !== undefined && name !== "",
  );
  // A browser on the far side of a connection is not the one in front of the user.
  return hasDisplay && env["SSH_CONNECTION"] === undefined ? ["xdg-open"] : undefined;
}
