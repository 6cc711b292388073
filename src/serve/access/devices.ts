/**
 * The devices that may use the page, in `devices.json`: each has a cookie and a key, of which only hashes are stored, and
 * a role. A one-time code adds a device; the first one to redeem it has it.
 */
import { hash, randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { OpenDocument, StoredDocument } from "../../settings/stored-document.js";
import { storedFile } from "../../settings/stored-file.js";
import { deviceRole, ROLE_RANKS } from "../api/access-bodies.js";
import type { DeviceRole } from "../api/access-bodies.js";
import { codeHash, newCode } from "./one-time-code.js";

/** How long a pairing code works. */
export const PAIRING_MS = 5 * 60_000;

const storedDevice = z.looseObject({
  deviceId: z.string(),
  name: z.string(),
  role: deviceRole,
  createdAt: z.number(),
  seenAt: z.number(),
  answers: z.number(),
  cookieHash: z.string(),
  keyHash: z.string(),
});
export type StoredDevice = z.output<typeof storedDevice>;

const storedCode = z.looseObject({
  hash: z.string(),
  role: deviceRole,
  name: z.string().optional(),
  expiresAt: z.number(),
  madeBy: z.string().optional(),
});

/** A link that answers one question once. */
const storedLink = z.looseObject({
  hash: z.string(),
  questionId: z.string(),
  expiresAt: z.number(),
  madeBy: z.string().optional(),
});

const devicesFile = () =>
  z.looseObject({
    version: z.literal(1),
    devices: z.array(storedDevice),
    codes: z.array(storedCode),
    links: z.array(storedLink).optional(),
  });

type DevicesFile = z.output<ReturnType<typeof devicesFile>>;

export type NewCode = {
  readonly role: DeviceRole;
  readonly name?: string | undefined;
  readonly lifetimeMs: number;
  /** The device that asked for it: its revocation takes the code back. */
  readonly madeBy?: string | undefined;
};

/** Its secrets leave this process once, in the answer to the code. */
export type AddedDevice = DeviceSecrets & { readonly device: StoredDevice };
type DeviceSecrets = { readonly cookie: string; readonly key: string };
/** Secrets that a browser sent with its code. */
type KnownSecrets = { readonly [Name in keyof DeviceSecrets]?: string | undefined };

const SEEN_STEP_MS = 60_000;
const MAX_DEVICES = 100;
const MAX_CODES = 50;
const MAX_LINKS = 200;
const SECRET_BYTES = 32;

export class Devices {
  readonly #file: StoredDocument<DevicesFile>;
  readonly #now: () => number;

  constructor(folder: string, now: () => number = Date.now, open: OpenDocument = storedFile) {
    this.#file = open(join(folder, "devices.json"), {
      schema: devicesFile,
      empty: { version: 1, devices: [], codes: [] },
    });
    this.#now = now;
  }

  list(): readonly StoredDevice[] {
    const state = this.#file.current();
    return state.state === "good" ? state.value.devices : [];
  }

  /** Undefined where the cookie or the key is not that of a device. */
  find(cookie: string, key: string): StoredDevice | undefined {
    const [cookieHash, keyHash] = [secretHash(cookie), secretHash(key)];
    return this.list().find((one) => one.cookieHash === cookieHash && one.keyHash === keyHash);
  }

  async createCode({
    role,
    name,
    lifetimeMs,
    madeBy,
  }: NewCode): Promise<{ readonly code: string; readonly expiresAt: number }> {
    const code = newCode();
    const now = this.#now();
    const expiresAt = now + lifetimeMs;
    const added = {
      hash: codeHash(code),
      role,
      ...(name !== undefined && { name }),
      expiresAt,
      ...(madeBy !== undefined && { madeBy }),
    };
    await this.#file.change((file) => {
      const valid = file.codes.filter((one) => one.expiresAt > now).slice(1 - MAX_CODES);
      return { value: { ...file, codes: [...valid, added] }, result: undefined };
    });
    return { code, expiresAt };
  }

  /**
   * Uses the code up. Undefined where it is unknown, used or expired. A browser that is a device already (`known`) stays
   * that device: a second login adds no device, takes nothing from its role, and logs out none of its tabs.
   */
  async redeem(
    code: string,
    name: string | undefined,
    known: KnownSecrets = {},
  ): Promise<AddedDevice | undefined> {
    const wanted = codeHash(code);
    const now = this.#now();
    return this.#file.change((file) => {
      const found = file.codes.find((one) => one.hash === wanted && one.expiresAt > now);
      if (!found) return { result: undefined };
      const { secrets, device: before } = secretsFor(file.devices, known);
      const codes = file.codes.filter((one) => one !== found);
      const others = file.devices.filter((one) => one !== before).slice(1 - MAX_DEVICES);
      const device: StoredDevice = {
        deviceId: randomUUID(),
        createdAt: now,
        answers: 0,
        ...before,
        name: nameBeside(others, found.name ?? before?.name ?? name ?? "Browser"),
        role: before && ROLE_RANKS[before.role] > ROLE_RANKS[found.role] ? before.role : found.role,
        seenAt: now,
        cookieHash: secretHash(secrets.cookie),
        keyHash: secretHash(secrets.key),
      };
      return { value: { ...file, codes, devices: [...others, device] }, result: { device, ...secrets } };
    });
  }

  /** Returns when every instance knows the devices that were added before: a proxy may send the next request to any of them. */
  spread(): Promise<void> {
    return this.#file.spread();
  }

  /** Takes back its codes and links too. False when there is no such device. */
  revoke(deviceId: string): Promise<boolean> {
    const isOthers = ({ madeBy }: { readonly madeBy?: string | undefined }) => madeBy !== deviceId;
    return this.#file.change((file) => {
      const devices = file.devices.filter((one) => one.deviceId !== deviceId);
      if (devices.length === file.devices.length) return { result: false };
      const [codes, links] = [file.codes.filter(isOthers), (file.links ?? []).filter(isOthers)];
      return { value: { ...file, devices, codes, links }, result: true };
    });
  }

  /** Makes a key for one question; its link works until the first answer by it. */
  async createLink(
    questionId: string,
    lifetimeMs: number,
    madeBy?: string,
  ): Promise<{ readonly key: string; readonly expiresAt: number }> {
    const key = newSecret();
    const now = this.#now();
    const expiresAt = now + lifetimeMs;
    const added = {
      hash: secretHash(key),
      questionId,
      expiresAt,
      ...(madeBy !== undefined && { madeBy }),
    };
    await this.#file.change((file) => {
      const valid = (file.links ?? []).filter((one) => one.expiresAt > now).slice(1 - MAX_LINKS);
      return { value: { ...file, links: [...valid, added] }, result: undefined };
    });
    return { key, expiresAt };
  }

  isLinkKey(questionId: string, key: string): boolean {
    const state = this.#file.current();
    const links = state.state === "good" ? (state.value.links ?? []) : [];
    const wanted = secretHash(key);
    const now = this.#now();
    return links.some((one) => one.hash === wanted && one.questionId === questionId && one.expiresAt > now);
  }

  async useLink(key: string): Promise<void> {
    const used = secretHash(key);
    await this.#file.change((file) => ({
      value: { ...file, links: (file.links ?? []).filter((one) => one.hash !== used) },
      result: undefined,
    }));
  }

  /** Notes that the device was here, at most once a minute, and that it answered a question. */
  async note({ deviceId, seenAt }: StoredDevice, { hasAnswered = false } = {}): Promise<void> {
    const now = this.#now();
    if (!hasAnswered && now - seenAt < SEEN_STEP_MS) return;
    await this.#file.change((file) => ({
      value: {
        ...file,
        devices: file.devices.map((one) =>
          one.deviceId === deviceId
            ? { ...one, seenAt: now, answers: one.answers + (hasAnswered ? 1 : 0) }
            : one,
        ),
      },
      result: undefined,
    }));
  }
}

/** The cookie says which device a browser is; a key that was lost with the browser's storage is replaced. */
function secretsFor(
  devices: readonly StoredDevice[],
  { cookie, key }: KnownSecrets,
): { readonly secrets: DeviceSecrets; readonly device?: StoredDevice | undefined } {
  const cookieHash = cookie === undefined ? undefined : secretHash(cookie);
  const device = devices.find((one) => one.cookieHash === cookieHash);
  if (!device || cookie === undefined) return { secrets: { cookie: newSecret(), key: newSecret() } };
  const isKnown = key !== undefined && device.keyHash === secretHash(key);
  return { secrets: { cookie, key: isKnown ? key : newSecret() }, device };
}

/** "Chrome on Linux 2" beside another "Chrome on Linux": answers are recorded by this name. */
function nameBeside(others: readonly StoredDevice[], name: string): string {
  const taken = new Set(others.map((one) => one.name));
  for (let number = 1; number <= MAX_DEVICES; number += 1) {
    const free = number === 1 ? name : `${name} ${number}`;
    if (!taken.has(free)) return free;
  }
  return name;
}

const newSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");

const secretHash = (secret: string): string => hash("sha256", `device ${secret}`);
