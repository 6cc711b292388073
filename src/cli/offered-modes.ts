/** The modes that an editor and the page offer, in words. */
export const OFFERED_MODES = [
  {
    value: "ask",
    name: "Ask",
    description:
      "Looks around by itself; asks before it changes anything, or runs anything that no sandbox contains.",
  },
  {
    value: "accept-edits",
    name: "Accept edits",
    description:
      "Edits files in the workspace without asking, and runs what a sandbox contains; asks before anything else.",
  },
  { value: "read-only", name: "Read only", description: "Looks around; changes and runs nothing." },
  {
    value: "allow-all",
    name: "Allow all",
    description: "Runs anything that no rule denies, without asking.",
  },
];
