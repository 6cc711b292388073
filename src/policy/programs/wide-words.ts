/**
 * The words of a command that a wide rule for it would have: the program with its subcommand, `npm run build` with the
 * script. Undefined where a wide rule would mean more than anyone expects: shells and interpreters, programs that fetch,
 * send, delete or write what their words name, and commands that are in doubt themselves.
 */
import { findProgram } from "./known-programs.js";
import type { UserPrograms } from "./known-programs.js";
import { judgeArgv } from "./judge-argv.js";
import { namedActs } from "./named-acts.js";

export function wideWords(argv: readonly string[], user?: UserPrograms): readonly string[] | undefined {
  const [program = "", ...rest] = argv;
  const described = findProgram(program, user);
  const judgement = judgeArgv(argv, user);
  const isNamed = [...judgement.urls, ...judgement.sends].some((host) => host !== "");
  const loses = judgement.deletes.length + judgement.moves.length > 0;
  if (!described || judgement.doubts.length > 0 || namedActs(judgement).length > 0 || isNamed || loses)
    return undefined;
  const words = [program];
  let at = described;
  for (const word of rest) {
    const below = at.subcommand?.(word);
    if (!below) break;
    words.push(word);
    at = below;
  }
  if (at.subcommand) return undefined;
  const next = argv[words.length] ?? "";
  const isModule = /^python[\d.]*$/.test(program) && next === "-m";
  if (isModule) return argv.length > 2 ? [program, "-m", argv[2] ?? ""] : undefined;
  if (NEVER_WIDE.test(program)) return undefined;
  if (!takesTarget(words)) return words;
  return /^[\w:.@/-]+$/.test(next) && !next.startsWith("-") ? [...words, next] : undefined;
}

/** Their words are code, commands, or files to write. */
const NEVER_WIDE =
  /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua|luajit|Rscript|julia|java|env|xargs|sudo|doas|su|nohup|nice|timeout|time|watch|ssh|scp|sftp|rsync|curl|wget|nc|tee|dd|cp|mv|rm|ln|chmod|chown|touch|mkdir|find|sed|awk|tar|unzip|npx|bunx|uvx|pnpx|vim?|nvim|emacs|docker-compose|crontab|kill|killall|pkill|git)$/;

/** The word behind these names what is built or run. */
function takesTarget(words: readonly string[]): boolean {
  const [program = "", sub = ""] = words;
  if (/^(?:npm|pnpm|yarn|bun)$/.test(program)) return /^(?:run|run-script)$/.test(sub);
  return (
    /^(?:g?make|just|task|rake|nx|turbo|(?:\.\/)?gradlew?|(?:\.\/)?mvnw?)$/.test(program) || sub === "run"
  );
}
