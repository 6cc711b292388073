/** The agent's response to `initialize`. */
type Info = { readonly name: string; readonly title: string; readonly version: string };

const PROMPTS = { image: true, embeddedContext: true };

const AUTH_METHODS = [
  {
    id: "keys",
    name: "API key",
    description:
      "Keys are read from the environment or from toolgate's key file. The scripted model needs none.",
  },
];

/** `mcp`: whether servers over HTTP are started too. */
export function v1Capabilities(agentInfo: Info, mcp: boolean): object {
  return {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: PROMPTS,
      mcpCapabilities: { http: mcp, sse: mcp },
      sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {} },
    },
    agentInfo,
    authMethods: AUTH_METHODS,
  };
}

export function v2Capabilities(info: Info, mcp: boolean): object {
  return {
    protocolVersion: 2,
    info,
    capabilities: {
      session: {
        prompt: { image: {}, embeddedContext: {} },
        ...(mcp && { mcp: { http: {}, stdio: {} } }),
        delete: {},
        additionalDirectories: {},
      },
    },
    authMethods: AUTH_METHODS.map(({ id, ...method }) => ({ type: "agent", methodId: id, ...method })),
  };
}
