/** How the messages of a step are called: its words have the step's own id, and what was thought has one beside it. */
const THOUGHT = "-thought";

export const thoughtIdOf = (stepId: string): string => stepId + THOUGHT;

export const stepIdOf = (messageId: string): string =>
  messageId.endsWith(THOUGHT) ? messageId.slice(0, -THOUGHT.length) : messageId;
