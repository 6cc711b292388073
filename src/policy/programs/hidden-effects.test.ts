/** Effects that no word shows: made-up names, values of open flags, code that a mere question runs. */
import { describe, expect, test } from "vitest";
import { judgeArgv } from "./judge-argv.js";
import type { ArgvJudgement } from "./judge-argv.js";
import { namedActs } from "./named-acts.js";

const judge = (line: string): ArgvJudgement =>
  judgeArgv([...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""));

describe("a question for help runs whatever the folder makes the program run", () => {
  test.each([
    "./gradlew --version",
    "gradle --version",
    "gradle -v",
    "mvn -v",
    "yarn --version",
    "yarn -v",
    "pnpm --version",
    "rustc --version",
    "cargo --version",
    "cargo -V",
    "tox --version",
    "pytest --help",
    "terraform --version",
    "git log --help",
    "go version",
    "go env GOPATH",
    "go doc fmt",
    "uv pip list",
  ])("%s", (line) => expect(judge(line)).toMatchObject({ runs: true, onlyReads: false }));

  test.each([
    "git --version",
    "node --version",
    "python3 --version",
    "npm --version",
    "npm install --help",
    "docker ps --help",
    "ls --help",
    "/usr/bin/make --version",
    "gcc --version",
  ])("only reads when the answer for help is the program's own: %s", (line) =>
    expect(judge(line)).toMatchObject({ runs: false, onlyReads: true, doubts: [] }),
  );
});

describe("a name that a program makes up is written", () => {
  test.each([
    "gunzip AGENTS.md.gz",
    "gzip -d AGENTS.md.gz",
    "gzip -S .md CLAUDE",
    "gunzip -N a.gz",
    "xz -d AGENTS.md.xz",
    "bunzip2 AGENTS.md.bz2",
    "zstd -d AGENTS.md.zst",
    "unlz4 AGENTS.md.lz4",
    "brotli -d AGENTS.md.br",
    "cp --suffix=.md --backup=simple a CLAUDE",
    "cp -S .md a CLAUDE",
    "mv -b -S .md a CLAUDE",
    "ln -b -S .md a CLAUDE",
    "install -S .md a CLAUDE",
    "patch -b -z .md CLAUDE",
    "wget -P . https://x.example/AGENTS.md",
    "wget https://x.example/AGENTS%2Emd",
    "wget -r -nH https://x.example/",
    "wget --content-disposition https://x.example/a",
    "curl --output-dir . -O https://x.example/AGENTS.md",
    "curl -OJ https://x.example/a",
    "scp h:AGENTS.md .",
    "scp -r h:dir .",
    "rsync h:AGENTS.md .",
    "rsync -a h:dir/ .",
    "docker cp c:/AGENTS.md .",
    "docker cp c:/app/. .",
    "aws s3 cp s3://b/AGENTS.md .",
    "aws s3 sync s3://b .",
    "aria2c -d . https://x.example/AGENTS.md",
    "http -d https://x.example/a",
    "gh release download v1",
    "rclone copy r:dir .",
    "jupyter nbconvert --to markdown AGENTS.ipynb",
    "jupyter nbconvert --to markdown --output AGENTS x.ipynb",
    "rename s/a/AGENTS/ a.md",
    "rename a AGENTS a.md",
    "rename s/a/AGENTS/ *.md",
    "csplit -f AGENTS -b '%.0d.md' a 5",
    "split -a 1 a .en",
    "doxygen -g AGENTS.md",
    "git worktree add .github",
    "git init .github",
  ])("asks: %s", (line) => expect(judge(line).doubts).not.toEqual([]));

  test.each([
    ["gunzip a.txt.gz", "a.txt"],
    ["xz -d a.tar.xz", "a.tar"],
    ["gunzip a.tgz", "a.tar"],
    ["cp -S .old a b", "b.old"],
    ["wget -P out https://x.example/a.zip", "out/a.zip"],
    ["curl --output-dir out -O https://x.example/a.zip", "out/a.zip"],
    ["curl --output-dir out -o b.zip https://x.example/a.zip", "out/b.zip"],
    ["scp h:dir/a.txt .", "./a.txt"],
    ["rsync h:a.txt out/", "out/a.txt"],
    ["docker cp c:/app/a.txt out", "out/a.txt"],
    ["aws s3 cp s3://b/a.txt out", "out/a.txt"],
    ["rename s/a/b/ a.txt", "b.txt"],
  ])("%s writes %s", (line, path) => {
    expect(judge(line).writes).toContain(path);
    expect(judge(line).doubts).toEqual([]);
  });
});

describe("a flag that takes any text takes none that nobody thought of", () => {
  test.each([
    "exiftool -p '${filename;system(1)}' a.png",
    "exiftool -GPSLatitude=5 a.png",
    "exiftool -geotag=x a.png",
    "as -a=AGENTS.md a.s",
    "nmap -script=./evil.nse h",
    "nmap -servicedb=x h",
    "nmap -proxies=http://x h",
    "nmap -versiondb=x h",
    "gcc -fdiagnostics-format=json-file a.c",
    "gcc -fdiagnostics-add-output=sarif:file=x a.c",
    "gcc -gcc-install-dir=./x a.c",
    "gcc -Oempty=./x a.c",
    "pbzip2 -p4d a.bz2",
    "lz4 -B4d a",
    "grep -d rx x a",
    "javac -g./x A.java",
  ])("asks: %s", (line) => expect(judge(line).doubts).not.toEqual([]));

  test.each([
    "exiftool -G1 -a a.png",
    "as -aln a.s -o a.o",
    "nmap -sSV -p1-100,U:53 -T4 -Pn -vv h.example",
    "gcc -O2 -g3 -ggdb -flto=auto -fdiagnostics-color=always -Wall a.c -o a",
    "pbzip2 -p4 a",
    "lz4 -B4 a",
    "grep -d skip x a",
    "7z a -mx=9 -mmt4 a.7z src",
    "java -Xmx2g -jar a.jar",
    "xxd -c 16 -l 0x20 a",
  ])("asks nothing about what is known: %s", (line) => expect(judge(line).doubts).toEqual([]));
});

test("reads a folder when a value is the beginning of recurse", () => {
  for (const line of ["grep -d rec x", "grep -drec x", "grep --directories=recu x", "grep -d recurse x"])
    expect(judge(line), line).toMatchObject({ reads: ["."], doubts: [] });
});

describe("a value with .. in it is a path", () => {
  test.each([
    "iconv -f sub/../../x a",
    "who sub/../../x",
    "git ls-files --exclude-per-directory=sub/../../x",
    "7z a a.7z -i!sub/../../x",
  ])("%s", (line) => expect(judge(line).reads.join(" ")).toContain("sub/../../x"));

  test("reads the files that tree puts around its page", () => {
    expect(judge("tree -H . --hintro=.env").doubts).not.toEqual([]);
    expect(judge("tree -H . --houtro=b").reads).toContain("b");
  });
});

test("takes no beginning of a verb of ip for another", () => {
  for (const line of ["ip link s lo down", "ip l s lo down", "ip link set lo down", "ip li sh", "ip rule s"])
    expect(judge(line).doubts, line).not.toEqual([]);
  for (const line of ["ip a", "ip addr show", "ip a s", "ip route get 1.1.1.1", "ip -br link show"])
    expect(judge(line), line).toMatchObject({ doubts: [], onlyReads: true });
});

describe("hosts of a connection", () => {
  test.each([
    ["psql 'postgresql://good,evil.example/x' -c 'select 1'", "evil.example"],
    ["psql 'postgresql:///x?host=evil%2Eexample' -c 'select 1'", "evil.example"],
    ["psql service=x -c 'select 1'", ""],
    ["pandoc --csl=https://evil.example/x a.md", "https://evil.example/x"],
    ["pandoc --template=https://evil.example/x a.md", "https://evil.example/x"],
    ["pandoc a.md -o a.docx", ""],
    ["gpg -e -r x@evil.example a", ""],
    ["netstat -a", ""],
    ["lsof -i", ""],
    ["ss -r", ""],
    ["go version", ""],
  ])("finds the host of %s", (line, host) => expect(judge(line).urls).toContain(host));

  test("finds a quoted host, and takes a socket for none", () => {
    expect(judgeArgv(["psql", "host='evil.example' dbname=x", "-c", "select 1"]).urls).toContain(
      "evil.example",
    );
    expect(judgeArgv(["psql", "host=/run/pg dbname=x", "-c", "select 1"]).urls).toEqual([]);
  });
});

describe("names each program that a command runs", () => {
  test.each([
    ["sqlite3 a.db '.read x.sql'", "x.sql"],
    ["sqlite3 -init x.sql a.db 'select 1'", "x.sql"],
    ["mysql -e 'source x.sql'", "x.sql"],
    ["rsync -e ./s.sh a h:b", "./s.sh"],
    ["git difftool -x ./s.sh", "./s.sh"],
    ["gcc -fplugin=./a.so a.c", "./a.so"],
    ["gcc -specs=./s a.c", "./s"],
    ["dotnet a.dll", "a.dll"],
    ["swift x.swift", "x.swift"],
    ["rails runner x.rb", "x.rb"],
    ["mix run x.exs", "x.exs"],
    ["crontab f", "f"],
  ])("%s", (line, file) => expect(judge(line).runsFiles).toContain(file));
});

describe("counts a removal as a deletion, at any place", () => {
  test.each([
    "git stash -u",
    "git stash push --all",
    "git sparse-checkout set src",
    "git submodule deinit lib",
    "git checkout main",
    "pip uninstall x",
    "apt-get remove x",
    "dnf remove x",
    "brew uninstall x",
    "aws s3 rm s3://b/x",
    "aws ec2 terminate-instances --instance-ids i",
    "gcloud compute instances delete x",
    "kubectl delete pod x",
    "docker rm x",
    "docker rmi x",
    "docker image prune",
    "helm uninstall x",
  ])("%s", (line) => {
    const { deletes, deletesBelow } = judge(line);
    expect([...deletes, ...deletesBelow]).not.toEqual([]);
  });

  test.each(["docker volume rm x", "docker system prune", "gh repo delete o/r"])("asks: %s", (line) =>
    expect([...judge(line).doubts, ...namedActs(judge(line))]).not.toEqual([]),
  );

  test("asks nothing when a command only simulates, or stops something", () => {
    for (const line of ["docker stop x", "kubectl get pods", "apt-get remove -s x", "git checkout -- a.txt"])
      expect([...judge(line).deletes, ...judge(line).deletesBelow], line).toEqual([]);
  });
});

describe("an install and a key are edits", () => {
  test.each([
    "apt install x",
    "brew install x",
    "snap install x",
    "flatpak install x",
    "ssh-keygen -t rsa",
    "gpg --import a.asc",
    "mktemp",
    "git config --global user.name Ann",
    "ruff check .",
    "tsc --noEmit",
  ])("%s", (line) => {
    const { writes, editsBelow } = judge(line);
    expect([...writes, ...editsBelow]).not.toEqual([]);
  });
});

describe("an index that is filled from elsewhere is doubted", () => {
  test.each([
    "git update-index --index-info",
    "git update-index --stdin",
    "git read-tree HEAD",
    "git mktree",
    "git fast-import",
    "git am a.mbox",
    "git reflog write",
  ])("%s", (line) => expect(judge(line).doubts).not.toEqual([]));
});

test("follows no link and reads no zone that nobody named", () => {
  expect(judge("getfacl -R -L .").doubts).not.toEqual([]);
  expect(judge(`date -d 'TZ=":/etc/x" now'`).doubts).not.toEqual([]);
});
