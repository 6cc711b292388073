/** The script that the built-in model plays by default: it introduces itself and makes one call that needs approval. */
import type { Script } from "../model/index.js";

export const defaultScript: Script = {
  steps: [
    {
      say: "I am the scripted sample agent: I play real tool calls, and no model is behind me. I will look around.",
      calls: [
        {
          tool: "todo_write",
          input: {
            todos: [
              { content: "See what is in this folder", status: "in_progress" },
              { content: "Say what I saw", status: "pending" },
            ],
          },
        },
        { tool: "terminal", input: { command: "ls" } },
      ],
      otherwise: [{ say: "It was refused, so I have seen nothing. Give me a script with --script." }],
    },
    {
      calls: [
        {
          tool: "todo_write",
          input: {
            todos: [
              { content: "See what is in this folder", status: "completed" },
              { content: "Say what I saw", status: "completed" },
            ],
          },
        },
      ],
    },
    { say: "That is what is here. Give me a script with --script, and I will do more." },
  ],
};
