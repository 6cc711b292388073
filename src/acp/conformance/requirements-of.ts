/** All requirements of a version, in the order of the table. */
import type { ProtocolVersion, Requirement } from "./requirement.js";
import { toolCallRequirements } from "./tool-call-requirements.js";
import { HANDSHAKE } from "./v1/handshake.js";
import { PROMPTS } from "./v1/prompts.js";
import { SESSIONS } from "./v1/sessions.js";
import { SETTINGS } from "./v1/settings.js";
import { CANCEL_V2 } from "./v2/cancel.js";
import { HANDSHAKE_V2 } from "./v2/handshake.js";
import { OPEN_ENUMS } from "./v2/open-enums.js";
import { PATCHES } from "./v2/patches.js";
import { PROMPTS_V2 } from "./v2/prompts.js";
import { SESSIONS_V2 } from "./v2/sessions.js";
import { wireRequirements } from "./wire-requirements.js";

const OWN = {
  1: [...HANDSHAKE, ...PROMPTS, ...SESSIONS, ...SETTINGS],
  2: [...HANDSHAKE_V2, ...PROMPTS_V2, ...CANCEL_V2, ...PATCHES, ...OPEN_ENUMS, ...SESSIONS_V2],
} as const satisfies Record<ProtocolVersion, readonly Requirement[]>;

export function requirementsOf(version: ProtocolVersion): readonly Requirement[] {
  return [...OWN[version], ...toolCallRequirements(version), ...wireRequirements(version)];
}
