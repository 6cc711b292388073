/** Whether a command belongs to the class of a widened "always". */
import type { CommandPart } from "../part.js";
import type { RuleParts } from "../rule.js";
import { commandClass, commandFamily } from "./command-class.js";
import { hostClass, localClass } from "./host-class.js";
import { isInFamily } from "./families.js";
import { plainClass } from "./plain-class.js";

export function isOfClass(
  { width, command, host, path, anyFlags }: RuleParts,
  part: CommandPart,
  roots: readonly string[],
): boolean {
  // A field with another value makes it another rule, which nobody was shown.
  if (path !== undefined || anyFlags !== undefined || typeof command !== "string") return false;
  switch (width) {
    case "subcommand":
      return host === undefined && beginsAlike(command, part) && commandClass(part, roots) === command;
    case "family":
      return host === undefined && isInFamily(command, commandFamily(part, roots));
    case "plain":
      return host === undefined && beginsAlike(command, part) && plainClass(part, roots) === command;
    case "host":
      return host !== undefined && command === `${part.argv[0] ?? ""} *` && hostClass(part) === host;
    case "local":
      return host !== undefined && command === "curl *" && localClass(part) === host;
    default:
      return false;
  }
}

/** Nearly all of many rules are for another program: most classes are never made. */
const beginsAlike = (command: string, { argv }: CommandPart): boolean =>
  command.startsWith(`${argv[0] ?? ""} `);
