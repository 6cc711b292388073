/**
 * Tools known by their whole name, in lower case: those that crow-agent's page lists, and the tools of
 * Claude Code, Codex, opencode, Gemini CLI, goose and others whose words would mislead or are written
 * together. kind-words.ts guesses all other names.
 */
import type { ToolKind } from "./tool-kind.js";

const NAMES: readonly (readonly [kind: ToolKind, names: string])[] = [
  ["read", "read_file list_directory readfile directory_tree tree"],
  ["edit", "edit_file edit write_file write apply_patch multiedit notebookedit text_editor memory"],
  ["search", "grep find_path glob"],
  [
    "execute",
    `terminal bash shell powershell monitor write_stdin killshell bashoutput
     python ipython repl code_interpreter code_execution automation_script computer computer_control`,
  ],
  ["think", "thinking think sequentialthinking"],
  // A search of the web leaves the machine, which is what a rule on "fetch" is about.
  ["fetch", "fetch web_search websearch webfetch codesearch"],
  ["switch_mode", "switch_mode switchmode enterplanmode exitplanmode plan_enter plan_exit"],
  /*
   * crow-agent's page leaves todo_write, todo_read and task to its default, other; its later source,
   * Claude and opencode say think. The page is our authority, and the safer: a task is another agent
   * that may do anything. The rest are their counterparts, and the tools that only address the person,
   * whose names hold a word like write, list, plan, request or update.
   */
  [
    "other",
    `todo_write todo_read todowrite todoread write_todos update_plan manage_todo_list
     task agent subagent spawn_agent create_task new_task delegate_to_agent
     taskcreate taskupdate tasklist taskget taskstop taskoutput task_complete complete_task now diagnostics
     request_user_input request_permissions plan_mode_respond`,
  ],
];

export const KNOWN_TOOLS: ReadonlyMap<string, ToolKind> = new Map(
  NAMES.flatMap(([kind, names]) => names.split(/\s+/).map((name) => [name, kind] as const)),
);
