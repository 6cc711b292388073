/** The prompt that sends a person's reason for a no to an agent: a message of a turn, which no client has sent. */
const PREFIX = "refusals-";

export const refusalPromptId = (turnId: string, count: number): string => `${PREFIX}${turnId}-${count}`;

export const isRefusalPrompt = (messageId: string): boolean => messageId.startsWith(PREFIX);
