/** Why a call is asked about: the reason, and for a command how each part of it was read. */
import { visibleText } from "../../call/index.js";
import type { ShownQuestion } from "../../call/index.js";

export async function whyAsked({ reason, call }: ShownQuestion, folder: string): Promise<string> {
  const why =
    reason === undefined ? "No rule covers it." : `Asked because ${visibleText(reason.replace(/\.+$/, ""))}.`;
  const command = commandOf(call.rawInput);
  if (call.kind !== "execute" || command === undefined) return `${why}\n`;
  const { explanationText } = await import("../rules-explain.js");
  // Its first line says that it is asked about.
  return `${why}\n${(await explanationText(command, folder)).replace(/^ask\n/, "")}`;
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("command" in input)) return undefined;
  return typeof input.command === "string" ? input.command : undefined;
}
