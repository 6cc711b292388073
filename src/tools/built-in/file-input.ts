/** The path and text fields of the file tools' inputs, and the access to a path that a tool declares. */
import { z } from "zod";
import { posix } from "node:path";
import type { PathAccess } from "../../policy/index.js";
import type { Workspace } from "../workspace.js";

export const pathInput = (what: string) =>
  z.string().regex(/\S/, "The name is blank").describe(`${what}, absolute or from the workspace folder.`);

/** Half a surrogate pair cannot be written to a file: what is shown would not be what is written. */
export const textInput = () =>
  z.string().refine((text) => !/\p{Surrogate}/u.test(text), {
    message: "The text holds half a character (a lone surrogate), which no text file can have",
  });

/**
 * A path that a tool touches, for its intent: the real path, and the written one when a link makes them differ.
 * `keepLink`: the tool acts on a link itself, not on its target.
 */
export async function pathAccess(
  written: string,
  access: PathAccess["access"],
  workspace: Workspace,
  options: { readonly keepLink?: boolean } = {},
): Promise<PathAccess> {
  const path = await workspace.resolve(written, options);
  const named = posix.resolve(workspace.root, written);
  return path === named ? { path, access } : { path, named, access };
}
