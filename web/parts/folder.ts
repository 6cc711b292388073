/** The project's folder, so that paths below it are shown without it. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export const Folder = createContext<string | undefined>(undefined);

export function useShortPaths(): (text: string) => string {
  const folder = useContext(Folder);
  return (text) => (folder === undefined ? text : withShortPaths(text, folder));
}

/** Only where a path begins: "/backup/home/ann/shop/a.ts" is not in "/home/ann/shop". */
export const withShortPaths = (text: string, folder: string): string =>
  text
    .split(`${folder}/`)
    .reduce((before, after) =>
      /[^\s"'`(:=]$/.test(before) ? `${before}${folder}/${after}` : `${before}${after}`,
    );
