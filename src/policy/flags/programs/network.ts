/** Programs that talk to other machines. Which ones they may talk to is for the host rules. */
import { FOLLOWS, UNSEEN } from "../folder-reads.js";
import { readFlags } from "../read-flags.js";
import type { Effects, NestedCommands, Programs, Seen, Spec } from "../vocabulary.js";

const RUNS = "runs another program";
const LISTENS = "opens this machine to others";

/** Only these are fetched: `file://` reads the disk and most others are old and odd. */
const webWords = (words: readonly string[]): Effects => {
  const odd = words.filter(
    (word) =>
      (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) && !/^(?:https?|ftps?|wss?):\/\//i.test(word)) ||
      /^(?:file|dict|gopher|ldap|smb|tftp|telnet|scp|sftp):/i.test(word),
  );
  const disguised = words.filter((word) => /^[a-z]+:\/\/[^/?#]*@/i.test(word));
  return {
    urls: words,
    doubts: [
      ...odd.map((word) => `"${word}" is not an address of the web`),
      ...disguised.map((word) => `"${word}" has a name before its host, which hides where it leads`),
    ],
  };
};

/** An address that cannot be read counts as one to any host. */
const ANY_HOST = "";

/** curl makes several addresses of one: `{one,other}.test`, `[1-9].test`. An IPv6 address stands in brackets too. */
function curlPatterns(urls: readonly string[], seen: Seen): Effects {
  if (seen.has("-g", "--globoff")) return {};
  const patterns = urls.filter((url) => /[{}[\]]/.test(url.replace(/^(?:[a-z]+:\/\/)?\[[\da-f:.]+\]/i, "")));
  const ofHosts = patterns.filter((url) => /^(?:[a-z]+:\/\/)?[^/?#]*[{}[\]]|[{}[\]].*:\/\//i.test(url));
  return {
    urls: ofHosts.map(() => ANY_HOST),
    doubts: patterns.map((url) => `"${url}" becomes several addresses`),
  };
}

function curlWords(words: readonly string[], seen: Seen): Effects {
  const urls = [...words, ...seen.values("--url")];
  const patterns = curlPatterns(urls, seen);
  const data = seen.values(
    "-d",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-urlencode",
    "--json",
    "-H",
    "--header",
    "-w",
    "--write-out",
    "--url-query",
    "--variable",
  );
  const forms = seen.values("-F", "--form");
  const cookies = seen.values("-b", "--cookie").filter((cookie) => !cookie.includes("="));
  const sent = [
    ...data
      .filter(
        (value) =>
          /^(?:[\w.-]*)@/.test(value) &&
          (value.startsWith("@") || seen.has("--data-urlencode", "--url-query", "--variable")),
      )
      .map((value) => value.slice(value.indexOf("@") + 1)),
    ...forms
      .filter((value) => /^[^=]*=[@<]/.test(value))
      .map((value) => value.replace(/^[^=]*=[@<]/, "").replace(/;.*$/, "")),
  ].filter((path) => path !== "-");
  const written = seen
    .values("-w", "--write-out")
    .filter((format) => /%output\{|%\{(?:output|.*>)/.test(format));
  const named = seen.has("-O", "--remote-name", "-J", "--remote-header-name", "--remote-name-all");
  const inside = seen.has("--output-dir");
  return {
    urls: [...urls, ...(patterns.urls ?? [])],
    reads: [...sent, ...cookies],
    writes: named && !inside ? [".", ...urls.map(lastPart)] : [],
    doubts: [
      ...seen
        .values("-X", "--request")
        .filter((method) => /^(?:DELETE|PUT|PATCH|PURGE)$/i.test(method))
        .map((method) => `the request "${method}" changes what is there`),
      ...(webWords(urls).doubts ?? []),
      ...(patterns.doubts ?? []),
      ...sent.map((path) => `sends the file "${path}" away`),
      ...written.map(() => "writes a file"),
    ],
  };
}

/** The name under which a download is kept. */
const lastPart = (url: string) => url.replace(/[?#].*$/, "").replace(/^.*\//, "");

const curl: Spec = {
  flags: `-s --silent -S --show-error --no-show-error -f --fail --fail-early --fail-with-body -L --location -i --include --show-headers -I --head -v --verbose -q --disable -k
    --insecure -g --globoff -G --get -X= --request= -H=~ --header=~ -d=~ --data=~ --data-ascii=~ --data-binary=~ --data-raw=~ --data-urlencode=~ --json=~ -F= --form= --form-string=
    --form-escape -A= --user-agent= -e= --referer= -b= --cookie= -j --junk-session-cookies -c=> --cookie-jar=> -o=> --output=> -O --remote-name --remote-name-all -J --remote-header-name -R --remote-time
    --output-dir=> --create-dirs --create-file-mode= --no-clobber --remove-on-error -C= --continue-at= -r= --range= -m= --max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time=
    --retry-connrefused --retry-all-errors --max-redirs= --max-filesize= --limit-rate= --rate= -Y= --speed-limit= -y= --speed-time= -z= --time-cond= --compressed --tr-encoding --raw -N --no-buffer
    -# --progress-bar --no-progress-meter --progress-meter -4 --ipv4 -6 --ipv6 -0 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --http0.9 -1 --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2
    --tlsv1.3 --tls-max= --ciphers= --tls13-ciphers= --curves= --ssl --ssl-reqd --ssl-no-revoke --cert-status -a --append -l --list-only -B --use-ascii -u= --user= --basic --digest --ntlm --negotiate
    --anyauth --oauth2-bearer= --aws-sigv4= --post301 --post302 --post303 --path-as-is --request-target= --url=@ --url-query= -: --next -Z --parallel --parallel-max= --parallel-immediate --keepalive-time=
    --no-keepalive --tcp-nodelay --tcp-fastopen --happy-eyeballs-timeout-ms= --expect100-timeout= --ignore-content-length --no-sessionid --no-alpn --haproxy-protocol --styled-output --no-styled-output -V -h? --manual -M
    --trace-time --trace-ids --suppress-connect-headers --disallow-username-in-url --noproxy= -w= --write-out= --cacert=< --capath=< -E=< --cert=< --cert-type= --key=< --key-type= --pass= --pinnedpubkey= --crlfile=<
    -D=> --dump-header=> --trace=> --trace-ascii=> --stderr=> --etag-save=> --etag-compare=< --alt-svc=> --hsts=> --ftp-pasv --ftp-create-dirs --ftp-ssl --mail-from= --mail-rcpt= -p --proxytunnel`,
  doubt: {
    "-K= --config=": "takes more flags from a file that is not shown here",
    "-T= --upload-file=": "sends a file away",
    "-x= --proxy= --preproxy= --socks4= --socks4a= --socks5= --socks5-hostname= --proxy1.0=":
      "sends everything through another machine",
    "--resolve= --connect-to= --doh-url= --dns-servers=": "reaches another machine than the address says",
    "--unix-socket= --abstract-unix-socket=": "talks to a program on this machine",
    "--engine= --libcurl= --egd-file= --random-file=": "loads a library or writes a file",
    "-n --netrc --netrc-optional --netrc-file=": "sends stored passwords",
    "--location-trusted --proto= --proto-default= --proto-redir= --interface= --local-port= -Q= --quote= -t= --telnet-option= -P= --ftp-port= --xattr --delegation= --krb=":
      "is not known to be harmless",
    "-U= --proxy-user=": "sends a password to another machine",
  },
  words: curlWords,
};

const wget: Spec = {
  flags: `-q --quiet -v --verbose -nv --no-verbose -O=> --output-document=> -P=> --directory-prefix=> -c --continue -N --timestamping -nc --no-clobber -S --server-response -t= --tries= -T=
    --timeout= --dns-timeout= --connect-timeout= --read-timeout= -w= --wait= --waitretry= --random-wait -Q= --quota= --limit-rate= -U= --user-agent= --header= --referer= --no-check-certificate --content-disposition
    --trust-server-names -r --recursive -l= --level= -k --convert-links -K --backup-converted -m --mirror -p --page-requisites -A= --accept= -R= --reject= --accept-regex= --reject-regex= -D= --domains=
    --exclude-domains= -H --span-hosts -L --relative -I= --include-directories= -X= --exclude-directories= -np --no-parent -nd --no-directories -x --force-directories -nH --no-host-directories --cut-dirs=
    --protocol-directories -E --adjust-extension --default-page= --no-cache --no-cookies --load-cookies=< --save-cookies=> --keep-session-cookies --max-redirect= --user= --password=
    --http-user= --http-password= --spider --no-proxy --no-dns-cache -4 --inet4-only -6 --inet6-only --prefer-family= --retry-connrefused --retry-on-http-error= --progress= --show-progress --https-only
    --secure-protocol= --ca-certificate=< -b --background -d --debug -i=< --input-file=< -nv -a=> --append-output=> -o=> --output-file=> -V -h --no-hsts --compression= --no-config --local-encoding= --remote-encoding= -e= --execute= --restrict-file-names= --no-if-modified-since --no-http-keep-alive --ignore-length --auth-no-challenge`,
  doubt: {
    "--post-file= --body-file= --post-data= --body-data= --method=": "sends something away",
    "--use-askpass=": RUNS,
    "--config=": "takes more settings from a file that is not shown here",
    "--warc-file= --warc-dedup= --warc-tempdir= --rejected-log= --hsts-file=": "writes a file",
    "--bind-address= --preferred-location= --input-metalink=": "is not known to be harmless",
  },
  prepare: (args) =>
    args.flatMap((word) => (/^-n[vcdpH]$/.test(word) ? [WGET_PAIRS.get(word) ?? word] : [word])),
  words: (words, seen) => {
    const lists = seen.values("-i", "--input-file").filter((list) => list.includes("://"));
    const settings = seen
      .values("-e", "--execute")
      .filter((setting) => !/^\s*robots\s*=\s*(?:off|on)\s*$/i.test(setting));
    const web = webWords(words);
    const named = seen.has("-O", "--output-document", "-P", "--directory-prefix", "--spider");
    return {
      ...web,
      writes: named ? [] : [".", ...words.map(lastPart)],
      doubts: [
        ...(web.doubts ?? []),
        ...lists.map((list) => `"${list}" names pages that are not shown here`),
        ...settings.map((setting) => `the setting "${setting}" is not known to be harmless`),
      ],
    };
  },
};

const WGET_PAIRS = new Map([
  ["-nv", "--no-verbose"],
  ["-nc", "--no-clobber"],
  ["-nd", "--no-directories"],
  ["-np", "--no-parent"],
  ["-nH", "--no-host-directories"],
]);

/** Settings that only say how to connect. ProxyCommand, LocalCommand and their like run programs. */
const SSH_SETTINGS =
  /^\s*(?:StrictHostKeyChecking|BatchMode|ConnectTimeout|ConnectionAttempts|ServerAlive(?:Interval|CountMax)|TCPKeepAlive|Compression|LogLevel|Port|User|PasswordAuthentication|PubkeyAuthentication|PreferredAuthentications|IdentitiesOnly|HostKeyAlgorithms|PubkeyAcceptedKeyTypes|PubkeyAcceptedAlgorithms|KexAlgorithms|Ciphers|MACs|AddressFamily|RequestTTY|NumberOfPasswordPrompts|CheckHostIP|HashKnownHosts|ForwardX11|ExitOnForwardFailure|UserKnownHostsFile[\s=]+\/dev\/null)\b/i;

const sshDoubts = (seen: Seen): string[] =>
  seen
    .values("-o")
    .filter((setting) => !SSH_SETTINGS.test(setting))
    .map((setting) => `the setting "${setting}" is not known to be harmless`);

const isThisMachine = (host: string) =>
  /^(?:[^@]*@)?(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0)$/i.test(host.replace(/^ssh:\/\//, ""));

/** What runs over there is judged as if it ran here, its paths apart. */
function remoteCommand(args: readonly string[]): NestedCommands {
  const { words } = readFlags([ssh], args);
  const line = words.slice(1).join(" ");
  const plain = line.split(/&&|\|\||[;|]/).map((part) => part.trim());
  const commands =
    line === "" || line.startsWith("-")
      ? []
      : plain.map((part) =>
          /[$`<>(){}&\n]/.test(part) ? ["sh", "-c", part] : part.replaceAll(/['"]/g, "").split(/\s+/),
        );
  return { words: args, commands, mustOnlyRead: false, elsewhere: true };
}

const ssh: Spec = {
  style: "first",
  flags:
    "-4 -6 -a -C -c= -e= -f -i=< -k -l= -m= -N -n -O= -o= -p= -q -s -T -t -V -v -x -X -Y -G -Q= -J=@ -K -M -b= -B= -L= -y -W=@",
  doubt: {
    "-F=": "takes settings, which can run programs, from elsewhere",
    "-A": "lends your keys to the other machine",
    "-D= -R= -w= -g": LISTENS,
    "-E= -S= -I=": "writes a file or loads a library",
  },
  nested: remoteCommand,
  words: ([host = "", ...command], seen) => ({
    urls: host === "" ? [] : [host],
    doubts: [
      ...sshDoubts(seen),
      ...(host.startsWith("-") ? [`"${host}" is not a host`] : []),
      ...(isThisMachine(host) ? ["runs on this very machine"] : []),
      ...(command[0]?.startsWith("-") ? [`"${command[0]}" is a flag after the host`] : []),
    ],
  }),
};

/** `host:path` is over there, everything else is here. */
const isRemote = (word: string) => /^(?:rsync|scp|sftp):\/\//.test(word) || /^[^/]*:/.test(word);

function remoteCopy(words: readonly string[], seen: Seen): Effects {
  const target = words.at(-1);
  const sources = words.slice(0, -1);
  const leaves = target !== undefined && isRemote(target);
  return {
    urls: words.filter(isRemote),
    reads: sources.filter((word) => !isRemote(word)),
    writes: target !== undefined && !leaves && words.length > 1 ? [target] : [],
    doubts: [
      ...sshDoubts(seen),
      ...words.filter((word) => word.startsWith("-")).map((word) => `"${word}" looks like a flag`),
    ],
  };
}

const rsync: Spec = {
  flags: `-v --verbose -q --quiet -a --archive -r --recursive -R --relative --no-relative -b --backup --suffix= -u --update --inplace --append --append-verify -d --dirs -l --links --safe-links
    -H --hard-links -p --perms --no-perms -E --executability --chmod= -A --acls -X --xattrs -o --owner --no-owner -g --group --no-group --devices --specials -D -t --times -O --omit-dir-times -J -S --sparse -n --dry-run -W
    --whole-file --no-whole-file --checksum-choice= -x --one-file-system -B= --block-size= --existing --ignore-existing --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --del --ignore-errors --force
    --max-delete= --max-size= --min-size= --partial -m --prune-empty-dirs --numeric-ids --no-implied-dirs --timeout= --contimeout= -I --ignore-times --size-only --modify-window= -y --fuzzy -z --compress --compress-level= --compress-choice= --skip-compress= -C
    --cvs-exclude -f= --filter= --exclude= --exclude-from=< --include= --include-from=< -0 --from0 -s --protect-args --stats -8 -h --human-readable --progress -P -i --itemize-changes --out-format=
    --list-only --bwlimit= -4 --ipv4 -6 --ipv6 --info= --port= -c --checksum --mkpath --usermap= --groupmap= --chown= -e= --rsh= --no-motd --outbuf= --preallocate --backup-dir=> --partial-dir=> -T=> --temp-dir=> --compare-dest=< --copy-dest=< --link-dest=< --delay-updates --no-inc-recursive`,
  changes: "--log-file=>",
  doubt: {
    "--rsync-path= -M= --remote-option=": RUNS,
    "--remove-source-files": "deletes what it has copied",
    "-L --copy-links --copy-unsafe-links -k --copy-dirlinks -K --keep-dirlinks": FOLLOWS,
    "--files-from=": UNSEEN,
    "--daemon --config= --password-file= --write-batch= --only-write-batch= --read-batch= --sockopts= --early-input= --super --fake-super --copy-devices --write-devices":
      "is not known to be harmless",
  },
  words: (words, seen) => {
    const both = remoteCopy(words, seen);
    const shells = seen
      .values("-e", "--rsh")
      .filter((shell) => !/^ssh(?: -p ?\d+| -i [\w./~-]+| -[46qvCTx])*$/.test(shell));
    const copied = words.length === 1 ? { reads: both.reads ?? [] } : both;
    const target = words.at(-1) ?? "";
    const here = words.length > 1 && !/^[^/]*:/.test(target);
    const deletes = seen.flags.some(({ name }) => name.startsWith("--del")) && !seen.has("-n", "--dry-run");
    const lost = here && deletes ? [`deletes what "${target}" holds beyond its source`] : [];
    const daemon =
      /^rsync:\/\/|::/.test(target) && words.length > 1 ? ["sends files to a server that asks no key"] : [];
    return {
      ...copied,
      doubts: [
        ...(both.doubts ?? []),
        ...shells.map((shell) => `runs "${shell}"`),
        ...lost,
        ...daemon,
        ...seen
          .values("-f", "--filter")
          .filter((rule) => /^(?:merge|dir-merge|[.:])/.test(rule))
          .map((rule) => `"${rule}" takes rules from a file`),
      ],
    };
  },
};

const scp: Spec = {
  flags: "-3 -4 -6 -B -C -c= -i=< -l= -o= -P= -p -q -r -T -v -O -s -R -J=@ -A",
  doubt: { "-S= -D=": RUNS, "-F=": "takes settings, which can run programs, from elsewhere" },
  words: remoteCopy,
};

const hosts = (flags: string, more: Partial<Spec> = {}): Spec => ({ flags, words: "urls", ...more });

const dig: Spec = {
  flags: "-4 -6 -x= -t= -c= -p= -q= -m -r -v -h -b= -u",
  doubt: { "-f= -k=": "sends the lines of a file to a name server" },
  plus: /^\+(?:\[?no\]?)?(?:short|trace|tcp|vc|noall|all|answer|question|authority|additional|stats|comments|cmd|recurse|rdflag|dnssec|multiline|time=\d+|tries=\d+|retry=\d+|timeout=\d+|search|cdflag|adflag|nssearch|identify|ttlid|class|crypto|https|tls|subnet=[\w./:]+|bufsize=\d+|edns=\d+|ttlunits|qr|yaml|json|https-get|expire|nsid)$/,
  words: "urls",
};

const netcat: Spec = {
  flags: "-4 -6 -z -v -vv -w= -n -u -D -h -N -q= -t -i= -C -r",
  doubt: {
    "-e= --exec= -c= --sh-exec= --lua-exec=": RUNS,
    "-l --listen -k --keep-open -p= -s= -L --source-port=": LISTENS,
    "-x= -X= -U -T= --proxy= --proxy-type=": "is not known to be harmless",
  },
  // Without -z it carries whatever is piped into it, both ways.
  words: (words, seen) => ({
    urls: words.slice(0, 1),
    doubts: seen.has("-z") ? [] : ["carries any bytes to and from another machine"],
  }),
};

export const networkPrograms = (): Programs => ({
  curl,
  wget,
  wget2: wget,
  aria2c: {
    flags: `-o= --out= -d=> --dir=> -x= --max-connection-per-server= -s= --split= -j= --max-concurrent-downloads= -c --continue? -q --quiet? -k= --min-split-size= --max-download-limit= --header= -U= --user-agent= --referer= --http-user= --http-passwd=
      --file-allocation= --check-certificate= --allow-overwrite= --auto-file-renaming= -m= --max-tries= -t= --timeout= --retry-wait= --summary-interval= --console-log-level= --seed-time= -S --show-files --select-file= --checksum= --max-overall-download-limit= --follow-torrent=`,
    words: (words, seen) => ({
      ...webWords(words.filter((word) => !word.startsWith("magnet:"))),
      writes: seen.has("-d", "--dir") ? [] : ["."],
    }),
  },
  http: httpie(),
  https: httpie(),
  xh: httpie(),
  xhs: httpie(),
  ssh,
  scp,
  sftp: {
    flags: "-4 -6 -a -C -c= -i=< -l= -o= -P= -p -q -r -v -N -f",
    doubt: { "-S= -D= -s=": RUNS, "-F= -b=": "takes commands or settings from elsewhere" },
    words: (words, seen) => ({ urls: words, doubts: sshDoubts(seen) }),
  },
  rsync,
  rclone: {
    flags:
      "-v -vv -P --progress -n --dry-run -i -q --transfers= --checkers= --exclude= --include= --max-depth= --bwlimit= --size-only --checksum -c -u --update --ignore-existing --stats= --max-age= --min-age= --fast-list",
    inherits: true,
    subcommands: {
      ls: { words: "urls" },
      lsl: { words: "urls" },
      lsd: { words: "urls" },
      lsf: { words: "urls" },
      tree: { words: "urls" },
      size: { words: "urls" },
      about: { words: "urls" },
      check: { words: "urls" },
      listremotes: {},
      version: {},
      copy: { words: remoteCopy },
      sync: { words: remoteCopy },
      copyto: { words: remoteCopy },
      move: { words: remoteCopy },
    },
  },
  "ssh-keygen": {
    flags: "-l -v -e -i -y -B -b= -t= -C= -N= -P= -q -a= -m= -E= -p -R= -F= -H -f=> -A -L -o",
    doubt: {
      "-D= -w= -s= -I= -Y= -k= -K -M= -O= -h -n= -V= -r= -G= -T= -S= -U -W= -z= -Z=":
        "signs, or loads a library",
    },
    words: "none",
  },
  "ssh-keyscan": hosts("-4 -6 -H -p= -T= -t= -v -c -D", {
    doubt: { "-f=": "shows the lines of a file in its complaints" },
  }),
  "ssh-copy-id": {
    flags: "-i=< -p= -n -f -o=",
    words: (words, seen) => ({ urls: words, doubts: sshDoubts(seen) }),
  },
  "ssh-add": {
    flags: "-l -L -t= -D -d -q -v -K -A",
    doubt: { "-s= -e= -S=": "loads a library" },
    words: "reads",
  },
  "ssh-agent": {
    flags: "-s -c -k -t= -D -d -E=",
    doubt: { "-P= -a=": "loads libraries or opens a socket" },
    style: "first",
    words: (words) => ({ doubts: words.length > 0 ? [`runs "${words.join(" ")}"`] : [] }),
  },
  ping: hosts("-4 -6 -c= -i= -w= -W= -q -n -s= -t= -I= -v -a -A -D -O -M= -f -r -R -U -l="),
  ping6: hosts("-c= -i= -w= -W= -q -n -s= -t= -I= -v"),
  fping: hosts("-4 -6 -a -A -c= -C= -d -e -g -i= -l -n -p= -q -r= -s -t= -u -v -b= -B= -D -m", {
    doubt: { "-f=": "shows the lines of a file in its complaints" },
  }),
  traceroute: hosts(
    "-4 -6 -I -T -U -F -n -m= -q= -w= -p= -N= -f= -i= -s= -z= -e -A --mtu --max-hops= --icmp --tcp --port= -M=",
  ),
  tracepath: hosts("-4 -6 -n -b -l= -m= -p= -V"),
  mtr: hosts(
    "-4 -6 -r --report -w --report-wide -c= --report-cycles= -n --no-dns -b --show-ips -i= --interval= -T --tcp -u --udp -P= --port= -s= -o= -z --aslookup -j --json -C --csv -x -m= -Q=",
    { doubt: { "-F= --filename=": "shows the lines of a file in its complaints" } },
  ),
  dig,
  delv: dig,
  host: hosts("-a -A -C -d -l -N= -r -R= -s -t= -T -v -V -w -W= -4 -6 -c="),
  nslookup: {
    style: "whole",
    flags: "-type* -query* -q* -debug -port* -timeout* -class* -norecurse -vc",
    words: "urls",
  },
  drill: hosts("-D -T -S -x -4 -6 -a -b= -c= -p= -u -t -v= -q", {
    doubt: { "-f= -w= -k= -i= -r=": "reads or writes a file" },
  }),
  whois: hosts(
    "-h= -p= -H -a -b -B -c -d -g= -i= -I -l -L -m -M -q= -r -R -s= -t= -T= -v= --verbose --host= --port=",
  ),
  telnet: hosts("-4 -6 -8 -a -d -E -K -l= -e=", { doubt: { "-n= -X= -b=": "writes a file" } }),
  nc: netcat,
  ncat: netcat,
  netcat,
  nmap: {
    style: "whole",
    flags: `-s* -p= -p* -P* -n -R -F -r -A -O -T* -v -vv -v* -d -6 -e= -D= -g= --top-ports= --open --reason --traceroute --exclude= --version-intensity= --max-retries= --host-timeout= --min-rate= --max-rate= --packet-trace --iflist --system-dns -h -V
      -sn -sL -sV -sS -sT -sU --osscan-guess --osscan-limit --version-light --version-all --scan-delay= --min-parallelism= --max-parallelism= -f -ff --mtu= --data-length= --ttl= --disable-arp-ping`,
    doubt: {
      "--script= --script* -sC --datadir= --servicedb= --versiondb= --interactive": "runs scripts",
      "-oN= -oX= -oG= -oS= -oA= -oN* -oX* -oG* -oA* --append-output --stylesheet= --resume=": "writes a file",
      "-iL= -iR= --excludefile=": "shows the lines of a file in its complaints",
      "-S= --proxies= --spoof-mac= -b=": "is not known to be harmless",
    },
    words: "urls",
  },
  ip: {
    style: "whole",
    flags:
      "-4 -6 -s -stats -statistics -d -details -br -brief -c -color -color* -j -json -p -pretty -o -oneline -h -human -r -resolve -a -f= -family= -ts -t",
    words: (words) => {
      const [thing = "", verb = "show"] = words;
      const known =
        /^(?:a|ad|add|addr|address|l|li|link|r|ro|route|n|ne|neigh|neighbour|neighbor|rule|maddr|maddress|tunnel|mroute|tuntap|ntable)$/.test(
          thing,
        );
      const shows = /^(?:s|sh|show|l|ls|list|g|get)$/.test(verb) || words.length === 1;
      return {
        doubts:
          known && shows
            ? []
            : words.length === 0 || thing === "help"
              ? []
              : [`"${words.join(" ")}" changes the network or runs a program in another one`],
      };
    },
    onlyReads: true,
  },
  ifconfig: {
    flags: "-a -s -v",
    words: (words) => ({ doubts: words.length > 1 ? ["changes the network"] : [] }),
    onlyReads: true,
  },
  route: {
    flags: "-n -e -ee -v -4 -6 -C -F",
    words: (words) => ({ doubts: words.length > 0 ? ["changes the network"] : [] }),
    onlyReads: true,
  },
  arp: {
    flags: "-a -e -n -v -i= -H= -D",
    doubt: { "-f= -s= -d=": "changes the network or shows the lines of a file" },
    words: "text",
    onlyReads: true,
  },
  bridge: {
    flags: "-s -d -j -p -br -c -o",
    style: "whole",
    words: (words) => ({ doubts: words.length <= 1 || words[1] === "show" ? [] : ["changes the network"] }),
    onlyReads: true,
  },
  netstat: {
    flags:
      "-a -n -t -u -l -p -r -i -s -e -c -o -g -v -w -x -W -M -N -C -F -4 -6 --all --numeric --tcp --udp --listening --programs --route --interfaces --statistics --continuous --extend --wide -f= -b -L",
    words: "text",
    onlyReads: true,
  },
  ss: {
    flags:
      "-n --numeric -r --resolve -a --all -l --listening -o --options -e --extended -m --memory -p --processes -i --info -s --summary -b --bpf -4 --ipv4 -6 --ipv6 -0 --packet -t --tcp -u --udp -d --dccp -w --raw -x --unix -S --sctp -f= --family= -A= --query= --socket= -H --no-header -O --oneline -Z --context -z -N= -E --events --tos --cgroup -V -h",
    doubt: {
      "-F= --filter= -D= --diag=": "reads or writes a file, and shows its lines in its complaints",
      "-K --kill": "closes connections",
    },
    words: "text",
    onlyReads: true,
  },
  lsof: {
    flags:
      "-a -b -c= -C -d= -F? -g? -i? -k= -K? -l -L -n -N -o -O -p= -P -Q -r? -R -s? -S? -t -T? -u= -U -v -V -w -x? -X -z -Z -h",
    plus: /^\+(?:[Ddc]|[LrcdDfmwM]\S*)$/,
    words: "reads",
    onlyReads: true,
  },
  hostname: {
    flags:
      "-a -A -d -f -i -I -s -y --alias --all-fqdns --all-ip-addresses --domain --fqdn --long --ip-address --short --yp",
    doubt: { "-F= --file= -b": "sets the name of this machine" },
    words: (words) => ({ doubts: words.length > 0 ? ["sets the name of this machine"] : [] }),
    onlyReads: true,
  },
  hostnamectl: {
    flags: "--static --pretty --transient --json= -j",
    words: (words) => ({
      doubts: words.length === 0 || words[0] === "status" ? [] : ["sets the name of this machine"],
    }),
    onlyReads: true,
  },
  "systemd-resolve": { flags: "--status --statistics --flush-caches -t= -4 -6 --no-pager", words: "urls" },
  resolvectl: {
    flags: "-4 -6 -i= -t= --no-pager --legend=",
    subcommands: {
      status: { words: "text" },
      query: { words: "urls" },
      statistics: {},
      "flush-caches": {},
      dns: { words: "none" },
    },
  },
  nmcli: {
    flags: "-t --terse -p --pretty -f= --fields= -c= --colors= -g= --get-values= -m= -o -w= -e=",
    words: (words) => ({
      doubts:
        words.length <= 1 ||
        /^(?:show|status|list|l|s)$/.test(words[1] ?? "") ||
        (words[1] === "wifi" && (words[2] ?? "list") === "list")
          ? []
          : ["changes the network"],
    }),
    onlyReads: true,
  },
  lynx: {
    flags: "-dump -nolist -source -listonly -width= -hiddenlinks= -accept_all_cookies -useragent=",
    style: "whole",
    words: webWords,
  },
  w3m: {
    flags: "-dump -dump_source -cols= -T= -M -B -4 -6 -s -e -v -t= -r -c= -I= -O=",
    doubt: {
      "-dump_extra -config= -bookmark= -o= -post=": "reads or sends a file, or sets what may be a program",
    },
    style: "whole",
    words: (words) => ({
      urls: words.filter((word) => /^https?:/.test(word)),
      reads: words.filter((word) => !/^\w+:/.test(word)),
      doubts: words.filter((word) => /^\w+:/.test(word) && !/^https?:/.test(word)),
    }),
  },
  ftp: { flags: "-4 -6 -A -p -i -n -g -v -d -e -a", words: "urls" },
  lftp: {
    doubt: { "-c= -e= -f=": "takes commands, a shell among them" },
    flags: "-u= -p= -d --norc",
    words: "urls",
  },
  mail: { words: () => ({ doubts: ["sends mail, and its commands can run programs"] }) },
  openssl: openssl(),
  gpg: gpg(),
  gpg2: gpg(),
  tcpdump: {
    flags:
      "-A -b -c= -D -d -e -i= -n -nn -N -O -p -q -S -s= -t -tt -ttt -tttt -ttttt -u -U -v -vv -vvv -x -xx -X -XX -l -L -y= -K -#  --count --list-interfaces --number -I -j= -Q= --immediate-mode -H",
    doubt: { "-z= -w= -C= -G= -W= -Z= -V= -F= -E= -r= -M=": "runs a program, or reads or writes a file" },
    words: "text",
  },
});

function httpie(): Spec {
  return {
    flags:
      "-j --json -f --form --multipart -v --verbose -h --headers -b --body -m --meta -p= --print= -s= --style= --pretty= --sorted --unsorted --format-options= -a= --auth= -A= --auth-type= -F --follow --max-redirects= --timeout= --check-status --verify= --ignore-stdin --offline -x --compress -q --quiet -d --download -o=> --output=> -c --continue -S --stream --all -I --default-scheme= --ssl= -4 -6",
    words: (words) => ({
      urls: words.filter((word) => /^(?:https?:|:|[\w.-]+\.[a-z]|localhost)/i.test(word)).slice(0, 1),
      doubts: words
        .filter((word) => /^[^=:]*(?:@|=@|:=@)/.test(word) && !/^https?:/.test(word))
        .map((word) => `"${word}" sends a file away`),
    }),
  };
}

function openssl(): Spec {
  const FILES =
    "-in=< -inform= -outform= -noout -text -out=> -passin= -passout= -CAfile=< -CA=< -CAkey=< -CAcreateserial -CAserial=> -key=< -inkey=< -certfile=< -cert=<";
  const sub = (flags: string): Spec => ({ style: "whole", flags: `${FILES} ${flags}`, words: "reads" });
  const digest = sub(
    "-sha1 -sha224 -sha256 -sha384 -sha512 -md5 -hex -r -binary -c -hmac= -sign=< -verify=< -signature=< -list -sha3-256 -sha3-512 -blake2b512",
  );
  // Without one of these a private key is printed for all to see.
  const keeps = ["-pubout", "-pubin", "-noout", "-check", "-pubcheck", "-out", "-modulus", "-text_pub"];
  const key = (flags: string): Spec => ({
    ...sub(flags),
    check: (seen) => ({
      doubts:
        seen.has(...keeps) && !(seen.has("-text") && !seen.has("-pubin")) ? [] : ["shows a private key"],
    }),
  });
  const subcommands: Record<string, Spec> = {
    x509: sub(
      "-subject -issuer -dates -startdate -enddate -serial -fingerprint -sha1 -sha256 -sha512 -pubkey -modulus -hash -subject_hash -email -purpose -ext= -nameopt= -req -days= -signkey=< -set_serial= -checkend= -checkhost= -extfile=< -extensions= -ocsp_uri -certopt= -alias",
    ),
    req: sub(
      "-new -newkey= -x509 -nodes -noenc -days= -subj= -addext= -keyout=> -pubkey -subject -verify -modulus -batch -utf8 -sha256 -sha512 -reqexts= -extensions= -verbose -set_serial= -copy_extensions=",
    ),
    rsa: key("-pubout -pubin -check -modulus -aes256 -aes128 -des3 -RSAPublicKey_out -traditional"),
    genrsa: {
      style: "whole",
      flags: "-out=> -aes256 -aes128 -des3 -passout= -3 -f4 -verbose -quiet -traditional -primes=",
      words: "text",
    },
    genpkey: sub("-algorithm= -pkeyopt= -aes256 -aes-256-cbc -quiet -genparam"),
    pkey: key("-pubout -pubin -check -pubcheck -text_pub -aes256 -traditional"),
    pkcs12: sub("-export -name= -nokeys -nocerts -clcerts -cacerts -info -legacy -aes256 -password="),
    pkcs8: key("-topk8 -nocrypt -v2= -traditional"),
    pkcs7: sub("-print_certs"),
    ec: key("-pubout -pubin -param_out -conv_form= -param_enc= -aes256 -check"),
    ecparam: sub("-list_curves -name= -genkey -param_enc= -conv_form= -check"),
    dgst: digest,
    sha1: digest,
    sha256: digest,
    sha512: digest,
    md5: digest,
    enc: sub(
      "-e -d -a -base64 -A -k= -pass= -kfile=< -K= -iv= -S= -salt -nosalt -md= -iter= -pbkdf2 -p -P -aes-256-cbc -aes-128-cbc -aes256 -aes-256-ctr -chacha20 -des3 -list -nopad -none -v",
    ),
    base64: sub("-e -d -a -A"),
    rand: { style: "whole", flags: "-base64 -hex -out=>", words: "text", onlyReads: true },
    verify: sub(
      "-untrusted=< -CApath=< -verbose -show_chain -purpose= -partial_chain -no-CAfile -no-CApath -x509_strict -crl_check",
    ),
    version: { style: "whole", flags: "-a -v -b -o -f -p -d -e -m -r -c", onlyReads: true },
    ciphers: { style: "whole", flags: "-v -V -s -tls1_2 -tls1_3 -stdname", words: "text", onlyReads: true },
    list: {
      style: "whole",
      flags:
        "-commands -digest-commands -digest-algorithms -cipher-commands -cipher-algorithms -public-key-algorithms -1 -providers -verbose -v -disabled -engines",
      onlyReads: true,
    },
    crl: sub("-nextupdate -lastupdate -issuer -hash -fingerprint"),
    asn1parse: sub("-i -dump -strparse= -offset= -length= -oid=<"),
    passwd: {
      style: "whole",
      flags: "-1 -5 -6 -apr1 -salt= -stdin -quiet -table -reverse",
      words: "text",
      onlyReads: true,
    },
    prime: { style: "whole", flags: "-hex -generate -bits= -safe -checks=", words: "text", onlyReads: true },
    speed: {
      style: "whole",
      flags: "-evp= -multi= -seconds= -elapsed -bytes=",
      words: "text",
      onlyReads: true,
    },
    errstr: { words: "text", onlyReads: true },
    pkeyutl: sub(
      "-sign -verify -encrypt -decrypt -pubin -certin -sigfile=< -derive -rawin -digest= -pkeyopt= -peerkey=<",
    ),
    rsautl: sub("-sign -verify -encrypt -decrypt -pubin -certin -oaep -raw -pkcs"),
    dhparam: { style: "whole", flags: "-out=> -in=< -text -noout -2 -5 -check -dsaparam", words: "text" },
    help: { words: "text", onlyReads: true },
    s_client: {
      style: "whole",
      flags:
        "-connect=@ -servername= -showcerts -tls1 -tls1_1 -tls1_2 -tls1_3 -status -alpn= -starttls= -verify= -verify_return_error -verify_hostname= -CAfile=< -CApath=< -cert=< -key=< -brief -cipher= -ciphersuites= -prexit -msg -no_tls1 -no_ssl3 -no_ticket -reconnect -ign_eof -crlf -4 -6 -groups= -curves= -sigalgs= -xmpphost= -name=",
      doubt: {
        "-quiet -proxy= -engine= -sess_out= -keylogfile=":
          "carries any bytes to and from another machine, or writes a file",
      },
      words: "none",
    },
  };
  return { subcommands };
}

function gpg(): Spec {
  return {
    flags: `-e --encrypt -d --decrypt -s --sign -b --detach-sign --clearsign --clear-sign --verify -c --symmetric -a --armor -r= --recipient= -R= -u= --local-user= -o=> --output=> -k --list-keys --list-public-keys -K --list-secret-keys --list-sigs
      --fingerprint --check-sigs --import --export --full-generate-key --full-gen-key --gen-key --generate-key --quick-generate-key --quick-gen-key --recv-keys --receive-keys --search-keys --refresh-keys --keyserver=@ 
      --gen-revoke --batch --yes --no -v --verbose -q --quiet --dry-run -n --no-tty --status-fd= --with-colons --with-fingerprint --with-keygrip --keyid-format= --cipher-algo= --digest-algo= --compress-algo= -z= --no-symkey-cache --card-status
      --dearmor --enarmor --print-md= --list-packets --show-keys --locate-keys --trust-model= --version --passphrase-fd= --pinentry-mode= --default-key= --no-default-keyring --list-options= --verify-options= --s2k-digest-algo= --s2k-count= --update-trustdb --check-trustdb --list-config --expert --store --multifile --no-armor --textmode`,
    doubt: {
      "--exec-path= --photo-viewer= --agent-program= --dirmngr-program= --pinentry-program= --gpgconf-test --load-extension=":
        RUNS,
      "--homedir= --options= --keyring= --secret-keyring= --primary-keyring= --trustdb-name= --logger-file= --status-file= --log-file=":
        "reads or writes settings and keys elsewhere",
      "--send-keys --export-secret-keys --export-secret-subkeys --delete-key --delete-keys --delete-secret-key --delete-secret-keys --delete-secret-and-public-key":
        "hands out or deletes keys",
      "--passphrase= --passphrase-file=": "takes a secret",
      "--edit-key --sign-key --lsign-key --import-ownertrust": "changes whom you trust",
    },
    words: (words, seen) =>
      seen.has(
        "-k",
        "--list-keys",
        "-K",
        "--list-secret-keys",
        "--fingerprint",
        "--list-sigs",
        "--recv-keys",
        "--receive-keys",
        "--send-keys",
        "--search-keys",
        "--export",
        "--edit-key",
        "--sign-key",
        "--lsign-key",
        "--quick-generate-key",
        "--quick-gen-key",
        "--locate-keys",
        "--check-sigs",
        "--gen-revoke",
      )
        ? {}
        : {
            reads: words,
            writes: seen.has(
              "-o",
              "--output",
              "-d",
              "--decrypt",
              "--verify",
              "--import",
              "--list-packets",
              "--show-keys",
            )
              ? []
              : words.map((word) => `${word}.gpg`),
          },
  };
}
