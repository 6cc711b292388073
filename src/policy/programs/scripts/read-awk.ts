/** What an awk program does beyond printing: it can run commands, write files and show the environment. */
const NEVER = new Map([
  ["system", "runs a command"],
  ["getline", "reads a file or a command's output"],
  ["ENVIRON", "reads the environment, where secrets are"],
  ["PROCINFO", "reads or changes how files and processes are opened"],
  ["ARGV", "can choose other files to read"],
  ["ARGC", "can choose other files to read"],
  ["extension", "loads a library"],
]);

const TOKEN =
  /(?<space>[ \t\r]+|\\\r?\n|#[^\n]*)|(?<string>"(?:[^"\\\n]|\\[^])*")|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?<name>[A-Za-z_]\w*)|(?<sign>\|\||\|&|>>|>=|&&|\+\+|--|[^])/gy;
const REGEX = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:\[:\w+:\]|\[(?!:\w+:\])|[^\]\n[])*\])*\//y;
const KEYWORDS = /^(?:print|printf|return|in|if|while|do|else|case|exit|BEGIN|END|delete|for)$/;

export function awkDoubts(program: string): string[] {
  const doubts: string[] = [];
  // Anywhere, also in text and patterns, so that no trick of the reader below can hide these.
  for (const [name, reason] of NEVER) {
    if (new RegExp(`\\b${name}\\b`).test(program)) doubts.push(`the program uses ${name}, which ${reason}`);
  }
  if (program.replaceAll(/"(?:[^"\\\n]|\\[^])*"|\/(?:[^/\\\n]|\\[^\n])*\//g, "").includes("@")) {
    doubts.push(`the program uses "@", which loads code or calls what it cannot name`);
  }
  return [...doubts, ...redirections(program)];
}

/** Pipes anywhere, and `>` where it belongs to a print and not to a comparison. */
function redirections(program: string): string[] {
  const doubts: string[] = [];
  let before = "";
  let printDepth: number | undefined;
  let depth = 0;
  let at = 0;
  while (at < program.length) {
    if (program.charAt(at) === "/" && !isOperand(before)) {
      if (before === "++" || before === "--") return [...doubts, "the program is not read with certainty"];
      REGEX.lastIndex = at;
      const regex = REGEX.exec(program)?.[0];
      if (regex === undefined) return [...doubts, "the program is not read with certainty"];
      if (/"/.test(regex) && /[|>]/.test(regex)) doubts.push("the program is not read with certainty");
      at += regex.length;
      before = '"';
      continue;
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(program);
    const token = match?.[0] ?? program.charAt(at);
    at += token.length;
    if (match?.groups?.["space"] !== undefined) continue;
    if (token === "(" || token === "[") depth += 1;
    if (token === ")" || token === "]") depth -= 1;
    if (token === "print" || token === "printf") printDepth = depth;
    // A list goes on over the end of a line after a comma or within brackets.
    const goesOn = token === "\n" && (before === "," || depth > (printDepth ?? 0));
    if (/^[;\n}]$/.test(token) && !goesOn) printDepth = undefined;
    if (token === "|" || token === "|&") doubts.push("the program pipes to or from a command");
    const redirects = (token === ">" || token === ">>") && printDepth !== undefined && depth <= printDepth;
    if (redirects && !/^\s*"\/dev\/std(?:err|out)"\s*(?:[;}\n]|$)/.test(program.slice(at))) {
      doubts.push("the program writes a file");
    }
    before = token;
  }
  return doubts;
}

function isOperand(token: string): boolean {
  if (token === ")" || token === "]" || token === "$" || token === "++" || token === "--") {
    return token === ")" || token === "]" || token === "$";
  }
  return /^["\w.]/.test(token) && !KEYWORDS.test(token);
}
