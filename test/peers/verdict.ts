/** The outcome of one act with one peer, and the table of them. */
export type Verdict = {
  readonly peer: string;
  readonly version: string;
  readonly act: string;
  /** Empty when all was right. */
  readonly faults: readonly string[];
  /** The peer could not be installed or started here. */
  readonly isMissing?: true;
  /** For whoever looks into a fault: the screen, the calls. */
  readonly details?: readonly string[];
};

export const isBad = ({ faults, isMissing }: Verdict): boolean => faults.length > 0 && !isMissing;

export const verdictText = (verdict: Verdict): string => {
  if (verdict.isMissing) return `not run: ${verdict.faults.join("; ")}`;
  return isBad(verdict) ? `WRONG: ${verdict.faults.join("; ")}` : "right";
};

export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => [verdict.peer, verdict.version, verdict.act, verdictText(verdict)]);
  const all = [["peer", "version", "what it did", "verdict"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Progress goes to stderr, the table to stdout. */
export const progress = (line: string): void => void process.stderr.write(`${line}\n`);
