/** The user's redaction settings from `config.json`: which secrets, and where. */
import { redactionPattern } from "../history/index.js";
import type { RedactionPattern } from "../history/index.js";
import { readUserConfig, SettingsError, settingsFolder, userConfigFile } from "../settings/index.js";

export type Redaction = {
  /** Redact before anything is stored. */
  readonly atRest: boolean;
  readonly patterns: readonly RedactionPattern[];
};

/** Throws when the file cannot be used: the ledger would store secrets that it must not store. */
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
