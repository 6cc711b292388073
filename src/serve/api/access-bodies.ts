/** Who may use the page: login by a one-time code, the own device, paired devices. */
import { z } from "zod";

/** `watch` reads; `answer` also answers questions; `all` also prompts, cancels, undoes, changes rules and pairs devices. */
export const deviceRole = z.enum(["all", "answer", "watch"]);
export type DeviceRole = z.output<typeof deviceRole>;

/** A role may do all that those below it may. */
export const ROLE_RANKS: Readonly<Record<DeviceRole, number>> = { watch: 0, answer: 1, all: 2 };

export const loginRequest = z.strictObject({
  code: z.string().min(1).max(200).describe("The one-time code of the link, or of a pairing."),
  name: z.string().max(80).describe("How the list of devices names this one.").exactOptional(),
});
export type LoginRequest = z.input<typeof loginRequest>;

export const device = z.object({
  deviceId: z.string(),
  name: z.string(),
  role: deviceRole,
  createdAt: z.number(),
  seenAt: z.number(),
  answers: z.number().describe("How many questions it has answered."),
  isThis: z.boolean().describe("Whether this request came from it."),
});
export type Device = z.output<typeof device>;

export const agentChoice = z.object({
  name: z.string(),
  title: z.string().exactOptional(),
  /** `own`: modes and models can be chosen. `external`: another agent that this server drives. */
  type: z.enum(["own", "external"]),
  takesImages: z.boolean(),
});
export type AgentChoice = z.output<typeof agentChoice>;

export const me = z.object({
  device,
  key: z
    .string()
    .describe("Only in the answer to a login: each request sends it as `x-toolgate-key`, beside the cookie.")
    .exactOptional(),
  version: z.string(),
  folder: z.string().describe("The folder that the server's own agents work in."),
  agents: z.array(agentChoice),
  modes: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
  modeId: z.string().describe("The mode of a new session.").exactOptional(),
  models: z
    .array(z.object({ name: z.string(), note: z.string().describe("Its window and price, where known.") }))
    .describe("Models that the own agent can use: the server has their keys."),
  hasDemo: z.boolean().describe("Whether POST /api/demo starts the sample agent."),
  isEmpty: z.boolean().describe("Whether no session was recorded yet."),
  sandbox: z.object({
    holds: z.boolean(),
    why: z.string().describe("Why it does not hold.").exactOptional(),
    isOff: z.boolean().describe("Whether it does not hold because it was switched off.").exactOptional(),
  }),
});
export type Me = z.output<typeof me>;

export const devices = z.object({ devices: z.array(device) });
export type Devices = z.output<typeof devices>;

export const pairingRequest = z.strictObject({
  role: deviceRole,
  name: z.string().max(80).exactOptional(),
  url: z
    .string()
    .max(2_000)
    .describe(
      "The address by which the other device reaches this server; the one of the request unless given.",
    )
    .exactOptional(),
});
export type PairingRequest = z.input<typeof pairingRequest>;

export const pairing = z.object({
  code: z.string().describe("Works once: `K7QF-2M9X-TT41`."),
  url: z.string().describe("The address for the other device, with the code behind its #."),
  isLocal: z.boolean().describe("Whether `url` can be reached from the server's own computer only."),
  qr: z
    .array(z.string())
    .describe("The QR code of `url`, one text of 0 and 1 for each row, without a margin."),
  expiresAt: z.number(),
});
export type Pairing = z.output<typeof pairing>;
