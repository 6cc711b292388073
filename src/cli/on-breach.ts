/** What follows when an agent runs a call that the rules deny: as the command line says, or the user's `config.json`. */
import type { OnBreach } from "../acp/index.js";
import { readUserConfig, settingsFolder } from "../settings/index.js";

export const onBreach = (flags: { readonly onBreach?: OnBreach }): OnBreach =>
  flags.onBreach ?? readUserConfig(settingsFolder()).onBreach ?? "mark";
