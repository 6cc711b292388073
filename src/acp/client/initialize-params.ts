/** The params of `initialize`, in the words of both versions, so that an agent which only knows v1 can read them. */
export function initializeParams(
  version: 1 | 2,
  client: { readonly name: string; readonly version: string },
  canElicit: boolean,
): object {
  const elicitation = canElicit ? { elicitation: { form: {}, url: {} } } : {};
  const served = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
  return {
    protocolVersion: version,
    clientCapabilities: { ...served, ...elicitation },
    clientInfo: client,
    ...(version === 2 && { capabilities: elicitation, info: client }),
  };
}
