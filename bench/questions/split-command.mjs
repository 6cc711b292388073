// A command text cut at its operators, as engines do that do not parse it further.

const SEPARATOR = /^(?:&&|\|\||[;|&\n])/;

/** The simple commands of a text. `isPlain`: no substitution, no control structure. */
export function splitCommand(text) {
  const { body, hadHeredoc } = withoutHeredocs(text);
  const pieces = [""];
  let quote = "";
  let isPlain = true;
  for (let at = 0; at < body.length; at += 1) {
    const char = body[at];
    if (quote !== "'" && char === "\\") {
      pieces[pieces.length - 1] += body.slice(at, at + 2);
      at += 1;
      continue;
    }
    if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = "";
    if (quote !== "'" && (char === "`" || body.startsWith("$(", at) || body.startsWith("<(", at)))
      isPlain = false;
    const redirect = /^(?:\d?>&\d|&>)/.exec(body.slice(at))?.[0];
    const separator =
      quote === "" && redirect === undefined ? SEPARATOR.exec(body.slice(at))?.[0] : undefined;
    if (separator === undefined) {
      pieces[pieces.length - 1] += redirect ?? char;
      at += (redirect ?? char).length - 1;
    } else {
      pieces.push("");
      at += separator.length - 1;
    }
  }
  const commands = pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "" && !piece.startsWith("#"));
  if (
    commands.some((command) => /^(?:for|while|until|if|case|do|done|then|fi|function|\(|\{)\b/.test(command))
  )
    isPlain = false;
  return { commands, isPlain, hadHeredoc };
}

function withoutHeredocs(text) {
  const lines = text.split("\n");
  const kept = [];
  let hadHeredoc = false;
  for (let at = 0; at < lines.length; at += 1) {
    kept.push(lines[at]);
    const end = /<<-?\s*(['"]?)(\w+)\1/.exec(lines[at])?.[2];
    if (end === undefined) continue;
    hadHeredoc = true;
    while (at + 1 < lines.length && lines[at + 1].trim() !== end) at += 1;
    at += 1;
  }
  return { body: kept.join("\n"), hadHeredoc };
}

/** The words of a simple command, quotes taken off. */
export function wordsOf(command) {
  return [...command.matchAll(/(?:[^\s'"]|'[^']*'|"(?:[^"\\]|\\.)*")+/g)].map(([word]) =>
    word.replaceAll(/['"]/g, ""),
  );
}
