/** What a database shell is told beyond SQL: its own commands, and functions that leave the database. */
const SQLITE_COMMANDS =
  /^\.(?:tables?|schema|fullschema|dump|headers?|mode|databases|index(?:es)?|indices|help|quit|exit|width|nullvalue|separator|show|stats|timer|dbinfo|eqp|explain|bail|changes|echo|print|version|sha3sum)\b[^|]*$/;

export function sqliteDoubts(text: string): string[] {
  const doubts = losses(text);
  for (const line of text.split("\n")) {
    const told = line.trim();
    if (told.startsWith(".") && !SQLITE_COMMANDS.test(told)) {
      doubts.push(`"${told.split(/\s/)[0]}" is not a command known to be harmless`);
    }
  }
  if (/\b(?:load_extension|writefile|readfile|edit|fsdir|lsdir|zipfile|fts3_tokenizer)\s*\(/i.test(text)) {
    doubts.push("the statement reaches outside the database");
  }
  if (
    /\battach\b|\bvacuum\b[^;]*\binto\b|writable_schema|temp_store_directory|data_store_directory/i.test(text)
  ) {
    doubts.push("the statement opens or writes another file");
  }
  return doubts;
}

const PSQL_COMMANDS =
  /^\\(?:d[a-zA-Z+]*|l\+?|z|conninfo|timing|x|encoding|h|\?|q|pset|a|t|H|echo|qecho|sf|sv|errverbose)(?:\s|$)/;

export function psqlDoubts(text: string): string[] {
  const doubts = losses(text);
  for (const [command] of text.matchAll(/\\[^\s\\']*[^\\]*/g)) {
    if (text.trimStart().startsWith("\\") && !PSQL_COMMANDS.test(command)) {
      doubts.push(`"${command.trim()}" is not a command known to be harmless`);
    } else if (/\\(?:!|copy|g|o|w|i|ir|e|ef|ev|gexec|gx|lo_|setenv|getenv|cd)/.test(command)) {
      doubts.push(`"${command.trim()}" leaves the database`);
    }
  }
  if (text.includes("`")) doubts.push("the text holds a command between backquotes");
  if (
    /\bcopy\b[^;]*\b(?:program|from|to)\b\s*(?:'|program)|\blo_(?:import|export)\b|\bpg_read_(?:binary_)?file\b|\bpg_ls_dir\b|\bcreate\s+(?:or\s+replace\s+)?(?:function|extension|language)\b|\bload\s+'/i.test(
      text,
    )
  ) {
    doubts.push("the statement reaches outside the database");
  }
  return doubts;
}

export function mysqlDoubts(text: string): string[] {
  const doubts = losses(text);
  if (/\\!|^\s*(?:system|source|tee|edit|pager)\b|;\s*(?:system|source|tee|pager)\b|\\[.PTe]/i.test(text)) {
    doubts.push("the text holds a command of the shell, not of the database");
  }
  if (
    /\binto\s+(?:out|dump)file\b|\bload_file\s*\(|\bload\s+data\b|\binstall\s+plugin\b|\bsoname\b/i.test(text)
  ) {
    doubts.push("the statement reaches outside the database");
  }
  return doubts;
}

/** What cannot be taken back: whole tables, and rows chosen by nothing. */
function losses(text: string): string[] {
  const loses = text
    .split(";")
    .some(
      (statement) =>
        /^\s*(?:drop|truncate)\b|\balter\s+table\b.*\bdrop\b/is.test(statement) ||
        (/^\s*(?:delete\s+from|update)\b/i.test(statement) && !/\bwhere\b/i.test(statement)),
    );
  const rights =
    /\b(?:grant|revoke)\s|\b(?:create|alter|drop)\s+(?:user|role|system|database)\b|\bset\s+password\b|\bmysql\.user\b|\bpg_(?:shadow|authid)\b|\bdblink/i.test(
      text,
    );
  if (rights) return ["the statement shows or changes who may do what"];
  return loses ? ["the statement deletes or overwrites everything of its kind"] : [];
}
