/** The agent's response to `initialize`. */
type Info = { readonly name: string; readonly title: string; readonly version: string };

const PROMPTS = { image: true, embeddedContext: true };

/** The reason of a no, in `_meta.toolgate.reason` of the answer to a permission request, reaches the model. */
const OWN = { toolgate: { permissionReason: true } };

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
      _meta: OWN,
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
      _meta: OWN,
    },
    authMethods: AUTH_METHODS.map(({ id, ...method }) => ({ type: "agent", methodId: id, ...method })),
  };
}
