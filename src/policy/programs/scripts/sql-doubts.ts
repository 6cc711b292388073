/**
 * Finds in a text for a database shell the shell's own commands, and statements that leave the database.
 *
 * A closed grammar: known commands, known first words, known functions; everything else is a doubt. Names that
 * reach outside are also found as parts of the text, since they may be quoted, split by comments or used as tables.
 */
import type { Effects } from "../program.js";
import { sqlLosses } from "./sql-losses.js";
import { MYSQL_VERBS, POSTGRES_VERBS, SQLITE_VERBS } from "./sql-names.js";
import { statementEffects } from "./statement-effects.js";
import { sqlStatements, sqlTokens } from "./sql-tokens.js";
import type { SqlDialect } from "./sql-tokens.js";
import { isTooLong, TOO_LONG } from "./too-long.js";

const UNCERTAIN = "the text is not read with certainty";
const OUTSIDE = "the statement reaches outside the database";

/** The doubts alone; the paths that the text names are in `readSqlite`. */
export function sqliteDoubts(text: string): string[] {
  return [...(readSqlite(text).doubts ?? [])];
}

export function readSqlite(text: string): Effects {
  if (isTooLong(text)) return { doubts: [TOO_LONG] };
  if (text.trimStart().startsWith(".")) return { doubts: sqliteCommandDoubts(text.trim()) };
  // Whether a line is a command of the shell depends on what came before it; `go` and `/` end a statement.
  if (/^[ \t]*(?:\.|(?:go|\/)[ \t]*$)/im.test(text)) return { doubts: [UNCERTAIN] };
  return readStatements(text, "sqlite");
}

const SQLITE_COMMANDS =
  /^\.(?:tables|schema|fullschema|dump|headers?|databases|index(?:es)?|indices|help|quit|exit|width|nullvalue|separator|show|stats|timer|timeout|dbinfo|eqp|explain|bail|changes|echo|print|version|sha3sum|limit|lint)(?=[ \t]|$)/;
const SQLITE_MODE =
  /^\.mode[ \t]+(?:ascii|box|csv|columns?|html|insert|json|lines?|list|markdown|qbox|quote|table|tabs|tcl)(?:[ \t]+-{0,2}\w+)*$/;

/** Commands may be abbreviated to whatever is first in a list that differs by version: whole names only. */
function sqliteCommandDoubts(command: string): string[] {
  const isKnown = SQLITE_COMMANDS.test(command) || SQLITE_MODE.test(command);
  if (isKnown && !/[^\P{Cc}\t]/u.test(command)) return [];
  return [`"${command.split(/\s/)[0] ?? ""}" is not a command known to be harmless`];
}

const PSQL_COMMANDS =
  /^\\(?:d[a-zA-Z]*[S+]*|l\+?|z|conninfo|timing|x|encoding|h|\?|q|a|t|H|echo|qecho|sf\+?|sv\+?|errverbose)(?:[ \t][^\\`|]*)?$/;

export function psqlDoubts(text: string): string[] {
  if (isTooLong(text)) return [TOO_LONG];
  const command = text.trim();
  if (command.startsWith("\\")) {
    const isKnown = PSQL_COMMANDS.test(command) && !/[^\P{Cc}\t]/u.test(command);
    return isKnown ? [] : [`"${command.split(/\s/)[0] ?? ""}" is not a command known to be harmless`];
  }
  // Between dollars stands text that holds quotes of its own.
  if (/\$(?!\d)/.test(text)) return [UNCERTAIN];
  return [...(readStatements(text, "postgres").doubts ?? [])];
}

const MYSQL_COMMANDS =
  /^[ \t]*(?:system|source|tee|notee|pager|nopager|edit|delimiter|connect|prompt|charset|query_attributes)\b/im;

export function mysqlDoubts(text: string): string[] {
  if (isTooLong(text)) return [TOO_LONG];
  if (MYSQL_COMMANDS.test(text)) return ["the text holds a command of the shell, not of the database"];
  return [...(readStatements(text.replace(/\\[gG]\s*;?\s*$/, ""), "mysql").doubts ?? [])];
}

const REACHES_OUT = {
  sqlite:
    /readfile|writefile|load_extension|fsdir|lsdir|zipfile|fts3_tokenizer|sqlite_dbpage|sqlite_dbdata|writable_schema|store_directory/i,
  postgres:
    /pg_read_|pg_ls_|pg_stat_file|pg_file_|lo_import|lo_export|lo_from|lo_put|dblink|pg_execute|pg_reload|pg_terminate|pg_cancel|pg_sleep|query_to_xml|set_config|pg_shadow|pg_authid|xpath_table/i,
  mysql: /load_file|outfile|dumpfile|soname|sys_exec|sys_eval|mysql\s*\.\s*user|infile|directory|connection/i,
};

const VERBS = { sqlite: SQLITE_VERBS, postgres: POSTGRES_VERBS, mysql: MYSQL_VERBS };

function readStatements(text: string, dialect: SqlDialect): Effects {
  const doubts = REACHES_OUT[dialect].test(text) ? [OUTSIDE] : [];
  const tokens = sqlTokens(text, dialect);
  if (!tokens) return { doubts: [...doubts, UNCERTAIN] };
  const statements = sqlStatements(tokens);
  const effects = statements.map((statement) => statementEffects(statement, VERBS[dialect]));
  return {
    reads: effects.flatMap(({ reads = [] }) => reads),
    writes: effects.flatMap(({ writes = [] }) => writes),
    doubts: [
      ...new Set([...doubts, ...effects.flatMap((effect) => effect.doubts ?? []), ...sqlLosses(statements)]),
    ],
  };
}
