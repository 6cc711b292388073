/**
 * The guardian's program, for any POSIX shell: small, started in a millisecond, and independent of the Node that was
 * killed. Uses grep, tr and sleep of the base system.
 *
 * Each line of its input names a tree: "+ word limit pid start" (0 for what is not known) guards it, or replaces what was
 * known of it, and "- word" releases it. At the end of its input our process is gone, and the guardian kills every
 * process of the trees that are left, again and again until several looks in a row find none: a process that is not killed
 * yet may start others, and one that only starts another and ends may fall between the reading of two files. Marked
 * processes are killed at once, before all others are read, since such a one does not live until then. The members of a tree are the same as in `process-tree.ts`. A pid that belongs to another process by now has
 * another start time, and its session is left alone. Without /proc, or with that of another pid namespace,
 * only the process groups are killed.
 */
export const GUARDIAN_SCRIPT = `
trap '' HUP INT QUIT TERM
trees=
while read -r verb word rest; do
  case $trees in *"$word "*) after=\${trees#*"$word "}; trees=\${trees%%"$word "*}\${after#*,} ;; esac
  [ "$verb" = + ] && trees="$trees$word $rest,"
done
[ "$trees" ] || exit 0

words= limits= roots=
IFS=,
for tree in $trees; do
  IFS=' '
  set -- $tree
  words="$words -e $1"
  [ "$2" = 0 ] || limits="$limits -e $2"
  [ "$3" = 0 ] || roots="$roots $3:$4"
done
unset IFS

own=
[ -r /proc/self/stat ] && read -r own _ </proc/self/stat
if [ "$own" != $$ ]; then
  for root in $roots; do kill -s KILL -- "-\${root%:*}"; done
  exit 0
fi

table() {
  for file in /proc/[0-9]*/stat; do
    read -r line <"$file" || continue
    pid=\${line%% *}
    set -- \${line##*) }
    case $1 in [ZX]) continue ;; esac
    [ "$pid" = $$ ] || echo "$pid $2 $4 \${20}"
  done
}

find_members() {
  marked=" $({
    grep -lsF $words /proc/[0-9]*/environ
    [ "$limits" ] && grep -lsF $limits /proc/[0-9]*/limits
  } | tr -dc '0-9\\n' | tr '\\n' ' ')"
  for pid in $marked; do
    quiet=0
    [ "$pid" = $$ ] || kill -s KILL "$pid" 2>/dev/null
  done
  processes=$(table)
  known=$roots
  roots=
  for root in $known; do
    case $line_end$processes in
    *"$line_end\${root%:*} "*)
      line=$line_end$processes
      line=\${line#*"$line_end\${root%:*} "}
      line=\${line%%"$line_end"*}
      [ "\${line##* }" = "\${root#*:}" ] || continue
      ;;
    esac
    roots="$roots $root"
  done
  members=' '
  before=
  until [ "$members" = "$before" ]; do
    before=$members
    while read -r pid parent session start; do
      case $members in *" $pid "*) continue ;; esac
      case $marked$members in *" $pid "* | *" $parent "*) members="$members$pid " && continue ;; esac
      for root in $roots; do
        [ "$session" = "\${root%:*}" ] && members="$members$pid " && break
      done
    done <<EOF
$processes
EOF
  done
}

line_end='
'
rounds=0
quiet=0
while [ $rounds -lt 250 ] && [ $quiet -lt 8 ]; do
  quiet=$((quiet + 1))
  find_members
  [ "$members" = ' ' ] || { quiet=0 && kill -s KILL $members; }
  rounds=$((rounds + 1))
  sleep 0.02
done
`;
