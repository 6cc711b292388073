/**
 * The user's settings: rule files, remembered grants, trusted projects, and their folder.
 *
 * Invariants: parsing is strict. A file with a mistake is refused as a whole, with its line, and the last good rules stay
 * in force; in a running process, a broken or deleted file never removes a denial. A project's rules only tighten until
 * the user has trusted their exact content. Files that we write are 0600 and replaced atomically, and no update is lost
 * between processes.
 */
export { ApprovedServers } from "./approved-servers.js";
export type { ApprovedServer } from "./approved-servers.js";
export { createFolder } from "./create-folder.js";
export { GrantStore } from "./grant-store.js";
export type { GrantedRule, ListedGrant } from "./grant-store.js";
export { rulesFromAuths } from "./rules-from-auths.js";
export { readJson } from "./read-json.js";
export { projectOf } from "./project-root.js";
export { readRuleFile } from "./read-rule-file.js";
export type { RuleFileReading } from "./read-rule-file.js";
export { ruleWarning } from "./rule-warning.js";
export { RuleSource } from "./rule-source.js";
export type { IgnoredRule, ProjectRules, RuleOrigin, RulesInForce } from "./rule-source.js";
export type { NotifyConfig } from "./notify-config.js";
export { programsJsonSchema } from "./programs-schema.js";
export { rulesJsonSchema } from "./rules-schema.js";
export type { RuleFile } from "./rules-schema.js";
export { sharedDocuments } from "./shared-documents.js";
export type { OpenDocument } from "./stored-document.js";
export { settingsFolder } from "./settings-folder.js";
export { readUserConfig, rememberModel, userConfigFile } from "./user-config.js";
export type { ModelChoice, UserConfig } from "./user-config.js";
export { SettingsError } from "./settings-error.js";
export type { SettingsErrorCode } from "./settings-error.js";
