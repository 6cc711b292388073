/** The project's folder, so that paths below it are shown without it. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export const Folder = createContext<string | undefined>(undefined);

export function useShortPaths(): (text: string) => string {
  const folder = useContext(Folder);
  return (text) => (folder === undefined ? text : text.replaceAll(`${folder}/`, ""));
}
