/** What goes wrong with a server, told in one line each, and not more often than someone can read. */
import { oneLine } from "../call/index.js";

const MAX_PER_MINUTE = 20;
const MAX_LENGTH = 600;

export type TellProblem = (text: string) => void;

export function boundedProblems(server: string, tell: TellProblem): TellProblem {
  let minute = 0;
  let told = 0;
  return (text) => {
    const now = Math.floor(performance.now() / 60_000);
    told = now === minute ? told + 1 : 1;
    minute = now;
    if (told > MAX_PER_MINUTE) return;
    const more = told === MAX_PER_MINUTE ? " (More of this minute is not told.)" : "";
    tell(`MCP server "${oneLine(server, 60)}": ${oneLine(text, MAX_LENGTH)}${more}`);
  };
}
