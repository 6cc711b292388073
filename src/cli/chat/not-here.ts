/** The reply to a command that does not work in the conversation. */
export const NOT_HERE =
  "That does not work with the agent that you talk with. Nothing was done; /help lists what works here.";

/** The same where the agent is on a server. */
export const notAtServer = (command: string): string =>
  `The server that you talk with does not offer /${command}. Nothing was done; /help lists what works here.`;
