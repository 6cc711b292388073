/** Database shells: what they are told on the command line is read, what comes on standard input cannot be. */
import { mysqlDoubts, psqlDoubts, sqliteDoubts } from "../scripts/read-sql.js";
import type { Effects, Programs, Spec } from "../vocabulary.js";

const STDIN = "without a statement, it takes its commands, a shell among them, from standard input";
const FILE = "takes its commands from a file that is not shown here";
const RUNS = "runs another program, loads a library or writes a file";

const sqlite: Spec = {
  style: "whole",
  flags: `-ascii -bail -batch -box -column -csv -echo -header -headers -noheader -html -json -line -list -markdown -table -tabs -quote -nullvalue= -separator= -newline= -readonly -safe -stats -version -help -deserialize -nofollow -mmap= -memtrace -interactive -append -cmd= -init=<`,
  doubt: { "-zip -A": "is an archiver in disguise" },
  words: ([database, ...statements], seen) => {
    const told = [...seen.values("-cmd"), ...statements];
    const doubts = told.flatMap(sqliteDoubts);
    if (seen.has("-init")) doubts.push(FILE);
    if (seen.has("-version", "-help", "--version", "--help")) return {};
    if (statements.length === 0) doubts.push(STDIN);
    const isMemory = database === undefined || database === ":memory:" || database === "";
    if (database?.startsWith("file:")) doubts.push(`"${database}" is an address with settings of its own`);
    return { doubts, reads: isMemory ? [] : [database], writes: isMemory ? [] : [database] };
  },
};

const psql: Spec = {
  flags: `-d= --dbname= -h=@ --host=@ -p= --port= -U= --username= -w --no-password -W --password -c= --command= -l --list -t --tuples-only -A --no-align -q --quiet -x --expanded -F= --field-separator= -R= --record-separator= -H --html --csv -a --echo-all -e --echo-queries -E --echo-hidden -b --echo-errors -n --no-readline -S --single-line -1
    --single-transaction -X --no-psqlrc -P= --pset= -T= --table-attr= -z -0 -V -s --variable= -v= --set=`,
  doubt: { "-o= --output= -L= --log-file=": RUNS, "-f= --file=": FILE },
  words: (words, seen) => {
    const told = seen.values("-c", "--command");
    const doubts = told.flatMap(psqlDoubts);
    if (seen.values("-P", "--pset").some((setting) => /pager/i.test(setting) && !setting.endsWith("=off")))
      doubts.push(RUNS);
    if (told.length === 0 && !seen.has("-l", "--list", "-V", "--version", "--help", "-f", "--file"))
      doubts.push(STDIN);
    return { doubts, urls: words.filter((word) => word.includes("://")) };
  },
};

const mysql: Spec = {
  flags: `-u= --user= -h=@ --host=@ -P= --port= -p? --password? -D= --database= -e= --execute= -N --skip-column-names -B --batch -s --silent -r --raw -t --table -E --vertical -v --verbose -H --html -X --xml -A --no-auto-rehash -V -C --compress -f --force -b -q --quick --default-character-set= --ssl-mode= -S= --socket= --protocol= --connect-timeout= -n`,
  doubt: {
    "--pager? --tee= --init-command= --defaults-file= --defaults-extra-file= --plugin-dir= --default-auth= --local-infile? --ssl-key= --login-path= --histignore= --sigint-ignore --system-command? --delimiter=":
      RUNS,
  },
  words: (_words, seen) => {
    const told = seen.values("-e", "--execute");
    return {
      doubts:
        told.length > 0 ? told.flatMap(mysqlDoubts) : seen.has("-V", "--version", "--help") ? [] : [STDIN],
    };
  },
};

const dump = (flags: string, more: Partial<Spec> = {}): Spec => ({ flags, words: "text", ...more });

const PG_HOST =
  "-h=@ --host=@ -p= --port= -U= --username= -w --no-password -W --password -d= --dbname= -v --verbose -e --echo -q --quiet -V";

const redis: Spec = {
  style: "first",
  flags:
    "-h=@ -p= -a= -n= --user= --pass= -r= -i= --raw --no-raw --csv --json --stat --latency --latency-history --latency-dist --bigkeys --memkeys --hotkeys --scan --pattern= -u=@ --tls --no-auth-warning -c --count= -v -2 -3 -x --askpass --insecure --verbose -t=",
  doubt: {
    "--eval= --ldb --ldb-sync-mode --rdb= --functions-rdb= --pipe --cacert= --cert= --key= -s= --cluster=":
      RUNS,
  },
  words: ([verb = "", ...rest], seen): Effects => {
    const name = verb.toUpperCase();
    if (
      verb === "" &&
      !seen.has(
        "--stat",
        "--latency",
        "--latency-history",
        "--bigkeys",
        "--memkeys",
        "--hotkeys",
        "--scan",
        "-v",
        "--version",
        "--help",
      )
    )
      return { doubts: [STDIN] };
    const harmful =
      /^(?:EVAL|EVALSHA|FCALL|SCRIPT|FUNCTION|MODULE|DEBUG|SLAVEOF|REPLICAOF|MIGRATE|ACL|BGREWRITEAOF|BGSAVE|SAVE|SHUTDOWN|FLUSHALL|FLUSHDB|MONITOR|CLUSTER|SYNC|PSYNC|EVAL_RO|RESTORE)$/.test(
        name,
      );
    const sets = name === "CONFIG" && (rest[0] ?? "").toUpperCase() !== "GET";
    return { doubts: harmful || sets ? [`"${verb}" reaches beyond the data`] : [] };
  },
};

const mongo: Spec = {
  flags:
    "--host=@ --port= -u= --username= -p? --password? --authenticationDatabase= --quiet --version --norc --tls --json? --apiVersion= --retryWrites=",
  doubt: {
    "--eval= -f= --file= --shell --nodb --tlsCertificateKeyFile= --networking":
      "runs code that is given on the command line",
  },
  words: (_words, seen) => ({ doubts: seen.has("--version", "--help") ? [] : [STDIN] }),
};

export const databasePrograms = (): Programs => ({
  sqlite3: sqlite,
  psql,
  mysql,
  mariadb: mysql,
  "redis-cli": redis,
  mongosh: mongo,
  mongo,
  pg_dump: dump(
    `${PG_HOST} -F= --format= -s --schema-only -a --data-only -t= --table= -T= --exclude-table= -n= --schema= -N= --exclude-schema= -c --clean -C --create --if-exists -O --no-owner -x --no-privileges --no-acl --inserts --column-inserts -Z= --compress= -j= --jobs= -b --blobs --no-comments --exclude-table-data= -f=> --file=> -E=`,
  ),
  pg_dumpall: dump(
    `${PG_HOST} -g --globals-only -r --roles-only -s --schema-only -a --data-only -c --clean --if-exists -O --no-owner -x -f=> --file=> -l= --exclude-database=`,
  ),
  pg_restore: dump(
    `${PG_HOST} -F= --format= -l --list -L=< --use-list=< -c --clean -C --create -a --data-only -s --schema-only -t= --table= -n= --schema= -O --no-owner -x --no-privileges -j= --jobs= --if-exists -1 --single-transaction -e --exit-on-error -f=> --file=>`,
    { words: "reads" },
  ),
  pg_isready: dump(`${PG_HOST} -t= --timeout=`, { onlyReads: true }),
  createdb: dump(`${PG_HOST} -O= --owner= -E= --encoding= -T= --template= -D= -l= --locale=`),
  dropdb: dump(`${PG_HOST} --if-exists -i --interactive -f --force`, {
    words: () => ({ doubts: ["deletes a database"] }),
  }),
  createuser: dump(
    `${PG_HOST} -s --superuser -d --createdb -r --createrole -P --pwprompt -l --login -S -D -R -i --interactive`,
  ),
  dropuser: dump(`${PG_HOST} --if-exists -i --interactive`, {
    words: () => ({ doubts: ["deletes a user"] }),
  }),
  mysqldump: dump(
    "-u= --user= -h=@ --host=@ -P= --port= -p? --password? -A --all-databases -B --databases -d --no-data -t --no-create-info --single-transaction --quick -q --routines -R --triggers --events -E --add-drop-table --add-drop-database --ignore-table= --skip-lock-tables --lock-tables --where= -w= --compact --no-tablespaces --column-statistics= --set-gtid-purged= --hex-blob --default-character-set= -r=> --result-file=> -v --verbose --skip-comments -n -c --complete-insert",
  ),
  mysqladmin: dump(
    "-u= --user= -h=@ --host=@ -P= --port= -p? --password? -i= -r -v --verbose -s --silent -c= --count=",
  ),
  mongodump: dump(
    "--host=@ --port= --uri=@ -d= --db= -c= --collection= -o=> --out=> --gzip --archive?> -u= --username= -p? --password? --authenticationDatabase= -q= --query= -v --quiet",
  ),
  mongorestore: dump(
    "--host=@ --port= --uri=@ -d= --db= -c= --collection= --drop --gzip --archive?< -u= --username= -p? --password? --authenticationDatabase= -v --quiet --dir=<",
    { words: "reads" },
  ),
  duckdb: {
    style: "whole",
    flags:
      "-csv -json -line -list -markdown -box -table -column -header -noheader -readonly -version -separator= -nullvalue= -batch -bail",
    doubt: { "-init= -cmd= -unsigned -ui -unredacted": RUNS },
    words: (words, seen) => ({
      doubts: seen.has("-version")
        ? []
        : words.length === 0
          ? [STDIN]
          : [
              ...words.slice(1).flatMap(sqliteDoubts),
              ...(words
                .slice(1)
                .some((word) =>
                  /\b(?:copy|install|load|attach|export|read_\w+|getenv|shellfs|glob)\b/i.test(word),
                )
                ? ["the statement reaches outside the database"]
                : []),
            ],
      writes: words.slice(0, 1),
    }),
  },
});
