/** Reports the problems of a server, one line each, at a rate that a person can read. */
import { oneLine } from "../call/index.js";

const MAX_PER_MINUTE = 20;
const MAX_LENGTH = 600;

export type ReportProblem = (text: string) => void;

export function boundedProblems(server: string, report: ReportProblem): ReportProblem {
  let minute = 0;
  let count = 0;
  return (text) => {
    const now = Math.floor(performance.now() / 60_000);
    count = now === minute ? count + 1 : 1;
    minute = now;
    if (count > MAX_PER_MINUTE) return;
    const more = count === MAX_PER_MINUTE ? " (More problems in this minute are not reported.)" : "";
    report(`MCP server "${oneLine(server, 60)}": ${oneLine(text, MAX_LENGTH)}${more}`);
  };
}
