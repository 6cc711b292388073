/** The tools that come with toolgate: enough for an agent to work on a project. */
import type { Tool } from "../tool.js";
import { editFile } from "./edit-file.js";
import { readFile } from "./read-file.js";
import { terminal } from "./terminal.js";
import { todoWrite } from "./todo-write.js";

export const builtInTools: readonly Tool[] = [readFile, editFile, terminal, todoWrite];
