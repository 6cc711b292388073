/**
 * Variables of our environment that lead commands to Toolgate's own files, with their values. Like HOME, they are known
 * where a command is read, so that `$XDG_CONFIG_HOME/toolgate/token` is the path that it is.
 */
import { isAbsolutePath } from "../call/absolute-path.js";

const NAMES = [
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "TOOLGATE_CONFIG",
  "TOOLGATE_CODE_CACHE",
] as const;

type Values = { readonly [name: string]: string };

export function folderVariables(environment: NodeJS.ProcessEnv): Values {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = environment[name] ?? "";
      return isAbsolutePath(value) ? [[name, value] as const] : [];
    }),
  );
}

/**
 * Without those that the command does not name: the executor is a part of the intent, and another process of Toolgate,
 * with other folders, is to find the same intent again.
 */
export function namedVariables(known: Values, command: string | readonly string[]): Values {
  const text = [command].flat().join(" ");
  const isNamed = (name: string): boolean => !NAMES.some((one) => one === name) || text.includes(name);
  return Object.fromEntries(Object.entries(known).filter(([name]) => isNamed(name)));
}
