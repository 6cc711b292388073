/** Editors write what they are given; their own commands can run programs. */
import type { Programs, Spec } from "../vocabulary.js";

const COMMANDS = "runs commands of the editor, which can run programs";
const STDIN = "an editor that takes its commands from standard input";

const vim: Spec = {
  flags: "-R -n -b -d -o? -O? -p? -M -m -g -f -v -N -C -x -A -F -H -l -L -r -h -y -Z -D",
  doubt: {
    "-c= --cmd= -S? -s= -u= -U= -i= -w= -W= -T= -t= -q? -e -E -es -V? --startuptime= --servername= --remote --remote-send= --remote-expr= --noplugin --clean --not-a-term --socketid= --listen= --headless --embed --server= --ttyfail -nb? --luamod-dev":
      COMMANDS,
  },
  plus: /^\+(?:\d*|\/[^|!]*)$/,
  words: "writes",
};

const plain = (flags: string, doubt: Record<string, string> = {}): Spec => ({
  flags,
  doubt,
  plus: /^\+\d+(?:[,:]\d+)?$/,
  words: "writes",
});

const emacs: Spec = {
  style: "whole",
  flags:
    "-nw --no-window-system -q --no-init-file -Q --quick -fs -mm --fullscreen --maximized -g= --geometry= -D --debug-init -t=",
  doubt: {
    "-l= --load= -f= --funcall= -eval= --eval= --execute= --batch -batch --script= -x= --insert= -L= --daemon --fg-daemon --kill --user= -u=":
      COMMANDS,
  },
  plus: /^\+\d+(?::\d+)?$/,
  words: "writes",
};

export const editorPrograms = (): Programs => ({
  vim,
  vi: vim,
  nvim: vim,
  view: vim,
  gvim: vim,
  rvim: vim,
  rview: vim,
  ex: { words: () => ({ doubts: [STDIN] }), prepare: () => [] },
  red: { words: () => ({ doubts: [STDIN] }), prepare: () => [] },
  nano: plain(
    "-l -m -i -c -v -w -T= -E -A -B -L -S -$ -R -x -D -F -G -H -K -N -P -Q= -U -W -z -0 --linenumbers --mouse --autoindent --view --nowrap --tabsize= --tabstospaces --backup",
    { "-s= --speller= -C= --backupdir= -f= --rcfile= -o= --operatingdir= -Y= -X=": COMMANDS },
  ),
  pico: plain("-w -v -x -m -r= -n", { "-s= -o=": COMMANDS }),
  micro: plain("-version -options", { "-config-dir= -plugin= -clean": COMMANDS }),
  joe: plain("-help -linums -rdonly"),
  jed: plain("-n"),
  emacs,
  emacsclient: {
    flags: "-n --no-wait -t -nw --tty -c --create-frame -q --quiet",
    doubt: { "-e --eval -a= --alternate-editor= -s= --socket-name= -f= --server-file= -F=": COMMANDS },
    plus: /^\+\d+(?::\d+)?$/,
    words: "writes",
  },
  code: {
    flags:
      "-r --reuse-window -n --new-window -w --wait -d --diff -g --goto -a --add --list-extensions --show-versions --status -v -h --disable-extensions --locale= --verbose",
    doubt: {
      "--install-extension= --uninstall-extension= --user-data-dir= --extensions-dir= --extensionDevelopmentPath= --extensionTestsPath= --folder-uri= --file-uri= --remote= --inspect-extensions= --enable-proposed-api= --log=":
        COMMANDS,
    },
    words: (words) => ({
      reads: words.map((word) => word.replace(/:\d+(?::\d+)?$/, "")),
      doubts: /^(?:tunnel|serve-web|chat)$/.test(words[0] ?? "") ? ["opens this machine to others"] : [],
    }),
  },
  subl: {
    flags: "-n --new-window -a --add -w --wait -b --background -p --project=",
    doubt: { "--command=": COMMANDS },
    words: (words) => ({ writes: words.map((word) => word.replace(/:\d+(?::\d+)?$/, "")) }),
  },
});
