/** The reaction to a breach by an external agent: from the command line, else from the user's `config.json`. */
import type { OnBreach } from "../acp/index.js";
import { readUserConfig, settingsFolder } from "../settings/index.js";

export const onBreach = (flags: { readonly onBreach?: OnBreach }): OnBreach =>
  flags.onBreach ?? readUserConfig(settingsFolder()).onBreach ?? "mark";
