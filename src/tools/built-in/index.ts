/** The tools that come with toolgate: enough for an agent to work on a project. */
import { hostReach } from "../../policy/index.js";
import type { Tool } from "../tool.js";
import { deletePath } from "./delete-path.js";
import { editFile } from "./edit-file.js";
import { fetchTool } from "./fetch.js";
import { findPath } from "./find-path.js";
import { grep } from "./grep.js";
import { listDirectory } from "./list-directory.js";
import { movePath } from "./move-path.js";
import { readFile } from "./read-file.js";
import { terminal } from "./terminal.js";
import { readOutput } from "./read-output.js";
import { thinking } from "./thinking.js";
import { todoRead } from "./todo-read.js";
import { todoWrite } from "./todo-write.js";
import { writeFile } from "./write-file.js";

export { fetchTool } from "./fetch.js";
export type { FetchOptions } from "./fetch.js";
export { webSearchTool } from "./web-search.js";
export type { SearchProvider } from "./web-search.js";

export const builtInTools: readonly Tool[] = [
  readFile,
  listDirectory,
  findPath,
  grep,
  editFile,
  writeFile,
  movePath,
  deletePath,
  terminal,
  readOutput,
  // A host on this machine or its network gets here only when a rule names it. A public name that
  // leads there is still refused.
  fetchTool({ reach: (host) => hostReach(host) !== "public" }),
  todoWrite,
  todoRead,
  thinking,
];
