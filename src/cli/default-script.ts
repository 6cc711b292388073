/** The script that plays where no model is chosen: it introduces itself, looks around, and says how to get a model. */
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
      otherwise: [
        {
          say: "The call was refused, so I have seen nothing. A model may do better: toolgate models says how to choose one.",
        },
      ],
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
    {
      say: "That is what is here. A model does more: toolgate models says how to choose one. --script plays your own script.",
    },
  ],
};
