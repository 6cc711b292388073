/**
 * Looks into things that are no files here, by the effects of the words: databases of this machine, and clouds. Nothing
 * is changed, sent but the question, or shown that is a secret by its name.
 */
import type { CommandPart } from "../part.js";
import { namedActs } from "../programs/named-acts.js";

/** The program, where the command only looks into a database of this machine. */
export function databaseLook({ argv, judgement, read }: CommandPart): string | undefined {
  const [program = "", ...words] = argv;
  if (!DATABASES.has(program) || read.fedText !== undefined || !doesNothingElse(judgement)) return undefined;
  const { writes, reads, sends, urls } = judgement;
  // sqlite3 opens its file for writing, whatever it does with it.
  if (!writes.every((path) => reads.includes(path))) return undefined;
  if (![...sends, ...urls].every((host) => LOOPBACK.test(host))) return undefined;
  if (program === "redis-cli") return looksIntoRedis(words) ? program : undefined;
  const statements =
    program === "sqlite3" ? sqliteStatements(words) : words.filter((word) => /[\s;\\(]|^\./.test(word));
  if (statements.length === 0 || !statements.every(onlyLooks)) return undefined;
  return words.some((word) =>
    /^--?(?:cmd|init|append|f|file|o|output|L|log-file|set|variable)\b|^-v/.test(word),
  )
    ? undefined
    : program;
}

/** Each word behind the file is a statement, also a single name: `sqlite3 x.db vacuum`. */
const sqliteStatements = (words: readonly string[]): readonly string[] =>
  words.filter((word, index) => !word.startsWith("-") && !SQLITE_TEXT.test(words[index - 1] ?? "")).slice(1);

const SQLITE_TEXT = /^--?(?:separator|nullvalue|newline|mmap)$/;

const DATABASES: ReadonlySet<string> = new Set(["sqlite3", "psql", "mysql", "mariadb", "redis-cli"]);

/** One command of Redis that looks, behind options that say which database and how it is printed. */
function looksIntoRedis(words: readonly string[]): boolean {
  const start = words.findIndex(
    (word, index) => !word.startsWith("-") && !/^-[hpn]$/.test(words[index - 1] ?? ""),
  );
  if (start === -1) return false;
  const options = words.slice(0, start).filter((word) => word.startsWith("-"));
  const look = words.slice(start).join(" ");
  return options.every((word) => REDIS_OPTION.test(word)) && REDIS_LOOK.test(look) && !SECRETS.test(look);
}

const REDIS_OPTION = /^(?:-[hpn]|--(?:no-)?raw|--csv|--json|--no-auth-warning|-[23])$/;

/**
 * Read-only commands, without the ones that remove a value, wait for one, or show what clients send (`getdel`,
 * `blpop`, `monitor`).
 */
const REDIS_LOOK =
  /^(?:ping|dbsize|info(?: \w+)?|(?:get|type|ttl|pttl|strlen|exists|mget|hgetall|hkeys|hlen|hvals|llen|scard|smembers|zcard|xlen|xinfo stream|object encoding|memory usage) [\w:.{}*-]+(?: [\w:.{}*-]+)*|(?:hget|hmget|sismember|zscore|zrank|lrange|zrange|zrevrange|xrange|xrevrange|getrange|lindex|zcount)(?: [\w:.{}+*-]+){2,5}|keys [\w:.{}*?-]+|(?:scan|hscan|sscan|zscan)(?: [\w:.{}*?-]+){1,6})$/i;

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|::1)$/;

/** Statements that each begin with a look, and have no word of a change and no name of a secret in them. */
function onlyLooks(text: string): boolean {
  const statements = text.split(";").filter((statement) => statement.trim() !== "");
  return (
    statements.length > 0 &&
    statements.every((one) => LOOKS.test(one) || PRAGMA.test(one)) &&
    !CHANGES.test(text) &&
    !SECRETS.test(text)
  );
}

const LOOKS =
  /^\s*(?:(?:select|values|show|describe|desc|table|explain|with)\b|\.(?:tables|schema|indexes|indices|databases|headers?|mode)\b[\w\s*%.]*$|\\(?:d[a-zS+]*|l\+?|conninfo|x)(?:\s+[\w."*]+)?\s*$)/i;

/** With an argument, other settings are set; some act without one: `pragma optimize`. */
const PRAGMA =
  /^\s*pragma\s+(?:(?:table_(?:x?info|list)|index_(?:list|x?info)|foreign_key_(?:list|check)|(?:integrity|quick)_check|(?:database|collation|function)_list|compile_options)(?:\s*\(\s*['"]?\w+['"]?\s*\))?|(?:user|schema|data)_version|application_id|journal_mode|page_(?:count|size)|encoding|freelist_count|foreign_keys|synchronous|cache_size|auto_vacuum)\s*$/i;

const SECRETS = /passw|secret|token|credential|(?:api|private|access)_?key|pg_authid|pg_shadow/i;

const CHANGES =
  /\b(?:insert|update|delete|replace|into|create|drop|alter|truncate|grant|revoke|copy|call|do|vacuum|reindex|analyze|attach|detach|set|lock|begin|commit|merge|load|import|handler|nextval|setval|sleep|pg_(?!stat_|size_|total_relation_size|relation_size|database_size|indexes|tables|class|namespace|attribute|constraint|type|views|roles|locks|extension|get_)\w*|lo_\w+|dblink\w*)\b|\\[^dlcx]/i;

/** The program, where the command only lists or describes what a cloud has. */
export function cloudLook({ argv, judgement, read }: CommandPart): string | undefined {
  const [program = "", ...words] = argv;
  if (!CLOUDS.has(program) || read.fedText !== undefined || !doesNothingElse(judgement)) return undefined;
  const { writes, reads, sends, urls } = judgement;
  if (writes.length + reads.length + sends.length > 0 || urls.length === 0) return undefined;
  const verb = words.findIndex((word) => CLOUD_LOOK.test(word));
  const nouns = words.slice(0, verb + 1);
  const isOther =
    nouns.some((word) => SHOWS_SETTINGS.test(word)) ||
    words.some((word, index) => leadsElsewhere(word, words[index + 1]));
  // The name of a bucket is an address, which its owner sees.
  const namesBucket = program === "aws" && words[0] === "s3" && words.slice(verb + 1).some(isOperand);
  const isOpen = namesBucket || (program === "gcloud" && showsMetadata(words));
  return verb === -1 || isOther || isOpen ? undefined : program;
}

const CLOUDS: ReadonlySet<string> = new Set(["aws", "gcloud", "az"]);

const CLOUD_LOOK = /^(?:(?:describe|list)(?:-[a-z0-9-]+)?|ls|show|get-caller-identity)$/;

/** Things whose description holds environments, start scripts or keys. */
const SHOWS_SETTINGS =
  /^-|function|task-def|describe-(?:task|stack)|data|environment|launch|spot|attribute|connection|settings|key|kube|env|secret|ssm|parameter|credential|config|template|script|project-info|webapp|container|batch|run|auth|access|identity-pool|device|certificate|deployment|amplify|sagemaker|client|build|version|variable|repository|spring|job|step|^(?:interactive|rest|app|opsworks|mq)$/i;

/** Another account, address, machine or bucket than the usual one, and what shows or takes more than the words tell. */
function leadsElsewhere(word: string, next = ""): boolean {
  if (word.includes("://") || word.startsWith("@")) return true;
  if (!word.startsWith("--")) return false;
  const [name = "", value = next] = word.split("=", 2);
  // The programs take the beginning of an option's name for the option.
  if (OTHER_OPTIONS.some((option) => option.startsWith(name) || name.startsWith(option))) return true;
  // A region becomes a part of the address.
  return /^--(?:r|re|reg|regi|regio|region|location|zone)$/.test(name) && !/^[a-z\d-]+$/i.test(value);
}

const OTHER_OPTIONS: readonly string[] = [
  "--profile --endpoint --impersonate --account --configuration --subscription --access --no-verify --debug --project",
  "--ca-bundle --cli- --bucket --flags-file --log-http --verbosity --billing --include-user --org --auth --sas",
]
  .join(" ")
  .split(" ");

/** Start scripts stand among the metadata of a machine, which only the short list leaves out. */
const showsMetadata = (words: readonly string[]): boolean =>
  words.includes("compute") &&
  words.includes("instances") &&
  (words.includes("describe") || words.some((word) => /json|yaml|metadata/i.test(word)));

const isOperand = (word: string, index: number, words: readonly string[]): boolean =>
  !word.startsWith("-") && !/^--(?:region|output|query|page-size|color)$/.test(words[index - 1] ?? "");

/** Whether the command only reads the state and the logs of services of this machine. */
export function serviceLook({ argv, judgement, read }: CommandPart): boolean {
  const [program = "", first = "", ...words] = argv;
  if (read.wrappers.length > 0 || read.feeds.length > 0 || read.fedText !== undefined) return false;
  // journalctl and systemctl run a pager only on a terminal, and an agent's command has none.
  if (!doesNothingElse({ ...judgement, runs: false })) return false;
  if (program === "journalctl") return true;
  return (
    program === "systemctl" && SERVICE_LOOK.test(first) && words.every((word) => SERVICE_WORD.test(word))
  );
}

/** Not `show` and `cat`, in which variables stand. */
const SERVICE_LOOK = /^(?:status|is-\w+|list-(?:units|timers|sockets|unit-files|dependencies|jobs))$/;

const SERVICE_WORD = /^(?:[\w@.:*-]+|--[\w-]+(?:=[\w,-]+)?)$/;

function doesNothingElse(judgement: CommandPart["judgement"]): boolean {
  const { isKnown, runs, takesList, doubts, deletes, moves, editsBelow, deletesBelow, runsFiles } = judgement;
  const others = [doubts, deletes, moves, editsBelow, deletesBelow, runsFiles, namedActs(judgement)].flat();
  return isKnown && !runs && !takesList && others.length === 0;
}
