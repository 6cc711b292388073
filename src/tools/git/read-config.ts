/**
 * Reads the settings of a git configuration file. Only the plain spelling is supported: a file with an uncertain line
 * is not read at all, since git may find another setting in it.
 */
export type GitSetting = {
  /** The name as git writes it: section and key in lower case, the part between them unchanged. */
  readonly name: string;
  /** Undefined for a key alone, which means true. */
  readonly value: string | undefined;
};

const SECTION =
  /^\[(?<section>[A-Za-z0-9-]+)(?:\s+"(?<quoted>(?:[^"\\\0]|\\["\\])*)"|\.(?<dotted>[A-Za-z0-9.-]+))?\]$/;
const SETTING = /^(?<key>[A-Za-z][A-Za-z0-9-]*)(?:\s*=\s*(?<value>.*))?$/;

export function readConfig(text: string): readonly GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  let section: string | undefined;
  for (const raw of text.replace(/^\uFEFF/, "").split("\n")) {
    // git's blanks are these; a line that ends in a backslash goes on in the next one.
    const line = raw.replace(/\r$/, "").replaceAll(/^[ \t]+|[ \t]+$/g, "");
    if (line === "" || /^[#;]/.test(line)) continue;
    if (/[\0\r\v\f]|\\$/.test(line)) return undefined;
    const head = SECTION.exec(line)?.groups;
    if (head) {
      section = sectionName(head);
      continue;
    }
    const setting = SETTING.exec(line)?.groups;
    if (!setting || section === undefined) return undefined;
    settings.push({
      name: `${section}.${setting["key"]?.toLowerCase()}`,
      value: plainValue(setting["value"]),
    });
  }
  return settings;
}

function sectionName({
  section = "",
  quoted,
  dotted,
}: {
  readonly [name: string]: string | undefined;
}): string {
  const between = quoted?.replaceAll(/\\(?<letter>["\\])/g, "$<letter>") ?? dotted?.toLowerCase();
  return between === undefined ? section.toLowerCase() : `${section.toLowerCase()}.${between}`;
}

/** Without the quotes around it and a comment behind it; good for the few values that are looked at. */
function plainValue(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const quoted = /^"(?<text>[^"\\]*)"\s*(?:[#;].*)?$/.exec(value)?.groups?.["text"];
  return quoted ?? value.replace(/\s*[#;].*$/, "");
}
