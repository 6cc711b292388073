/** `toolgate pair`: a one-use code for another device, and the list of devices. The running server reads both. */
import { visibleText } from "../call/index.js";
import { Devices, qrText } from "../serve/index.js";
import { settingsFolder } from "../settings/index.js";
import { alignedTable } from "./aligned-table.js";
import type { PairFlags } from "./commands/pair.js";
import { notedAddress } from "./page-link.js";
import { withSettingsOf } from "./shared-settings.js";
import { note } from "./stderr.js";
import { localTime } from "./local-time.js";
import { PAIRING_MS } from "../serve/access/devices.js";
import { isLocalUrl, isPlainUrl, NO_ADDRESS, pageUrl } from "../serve/access/local-url.js";

const ID_LENGTH = 8;

const write = (text: string): void => void process.stdout.write(text);

export async function pair({ ledger, ...flags }: PairFlags): Promise<number> {
  return withSettingsOf(ledger, ({ open }) => pairIn(new Devices(settingsFolder(), Date.now, open), flags));
}

async function pairIn(
  devices: Devices,
  { role, name, url: given, list = false, revoke }: PairFlags,
): Promise<number> {
  if (list) return listDevices(devices);
  if (revoke !== undefined) return revokeDevice(devices, revoke);
  const url = given === undefined ? notedAddress() : pageUrl(given);
  if (url === undefined && given !== undefined) {
    note(`${NO_ADDRESS} No code was made; give one like https://desk.example.`);
    return 1;
  }
  if (url === undefined) {
    note("No server was started yet. No code was made; start one with: toolgate");
    return 1;
  }
  const { code } = await devices.createCode({ role, name, lifetimeMs: PAIRING_MS });
  const link = `${url}/login#${code}`;
  write(`${qrText(link)}\n${link}\n\nThe code ${code} works once, for 5 minutes. The device ${MAY[role]}.\n`);
  if (isLocalUrl(url))
    note(`${url} can be reached from this computer only. For a phone see docs/remote.md, and give --url.`);
  else if (isPlainUrl(url))
    note(
      `${url} is not encrypted: no server listens there unless it was started with --insecure-listen. See docs/remote.md.`,
    );
  return 0;
}

const MAY = {
  watch: "may only watch",
  answer: "may watch and answer questions",
  all: "may do all that you may do here",
} as const;

function listDevices(devices: Devices): number {
  const listed = devices.list();
  if (listed.length === 0) write("No device is paired. Pair one with: toolgate pair\n");
  else
    write(
      `${alignedTable([
        ["id", "name", "may", "paired", "last seen", "answers"],
        ...listed.map(({ deviceId, name, role, createdAt, seenAt, answers }) => [
          deviceId.slice(0, ID_LENGTH),
          visibleText(name),
          role,
          localTime(createdAt),
          localTime(seenAt),
          String(answers),
        ]),
      ])}\n`,
    );
  return 0;
}

async function revokeDevice(devices: Devices, wanted: string): Promise<number> {
  const found = devices.list().filter(({ deviceId }) => wanted !== "" && deviceId.startsWith(wanted));
  const [device, ...others] = found;
  if (!device || others.length > 0) {
    note(
      `${found.length === 0 ? "No device has" : "Several devices have"} the id ${visibleText(wanted)}. Nothing was revoked. Try: toolgate pair --list`,
    );
    return 1;
  }
  await devices.revoke(device.deviceId);
  write(`${visibleText(device.name)} is revoked.\n`);
  return 0;
}
