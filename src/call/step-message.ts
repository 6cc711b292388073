/** The message ids of a step: its text has the step's id, and its thoughts have that id with a suffix. */
const THOUGHT = "-thought";

export const thoughtIdOf = (stepId: string): string => stepId + THOUGHT;

export const stepIdOf = (messageId: string): string =>
  messageId.endsWith(THOUGHT) ? messageId.slice(0, -THOUGHT.length) : messageId;
