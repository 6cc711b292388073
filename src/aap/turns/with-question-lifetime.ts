import type { Agent } from "../../agent/index.js";

/** The lifetime of questions that the agent names itself counts first, then the server's. */
export function withQuestionLifetime(agent: Agent, ofServer: number | undefined): Agent {
  const questionLifetime = agent.limits?.questionLifetime ?? ofServer;
  return questionLifetime === undefined ? agent : { ...agent, limits: { ...agent.limits, questionLifetime } };
}
