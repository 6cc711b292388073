/** What the user wants taken out as a secret, and where: as their `config.json` says. */
import { redactionPattern } from "../history/index.js";
import type { RedactionPattern } from "../history/index.js";
import { readUserConfig, SettingsError, settingsFolder, userConfigFile } from "../settings/index.js";

export type Redaction = {
  /** Before anything is stored. */
  readonly atRest: boolean;
  readonly patterns: readonly RedactionPattern[];
};

/** Throws where the file cannot be used: secrets would be kept that were not to be kept. */
export function readRedaction(folder = settingsFolder()): Redaction {
  const { redactAtRest = false, redactPatterns = [] } = readUserConfig(folder);
  const patterns = redactPatterns.map((source) => {
    try {
      return redactionPattern(source);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new SettingsError(
        "FILE_BROKEN",
        `${userConfigFile(folder)}: "redactPatterns": ${error.message} Nothing was started; correct it.`,
      );
    }
  });
  return { atRest: redactAtRest, patterns };
}
