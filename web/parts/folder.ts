/** The project's folder, so that paths below it are shown without it. */
import { createContext } from "preact";

export const Folder = createContext<string | undefined>(undefined);
