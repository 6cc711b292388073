/** Login, the own device, and the list of devices. */
import { AapProblem } from "../../aap/api/aap-problem.js";
import { Rate } from "../../http/rate.js";
import { cookieHeader, cookieIn, keyIn } from "../access/device-cookie.js";
import { PAIRING_MS } from "../access/devices.js";
import type { StoredDevice } from "../access/devices.js";
import { isLocalUrl, NO_ADDRESS, pageUrl } from "../access/local-url.js";
import { qrCode } from "../access/qr-code.js";
import { loginRequest, pairingRequest } from "../api/access-bodies.js";
import type { Device, Me } from "../api/access-bodies.js";
import { bodyOf, done, originOf } from "./page-request.js";
import type { PageHandler, PageParts, PageRequest } from "./page-request.js";
import type { ServeContext } from "./serve-context.js";

/** Wrong codes of all clients together, each second. */
const LOGINS_PER_SECOND = 3;

type Name = "login" | "logout" | "me" | "listDevices" | "pairDevice" | "revokeDevice";

export function accessHandlers({ context }: PageParts): Readonly<Record<Name, PageHandler>> {
  const { devices } = context;
  const logins = new Rate(LOGINS_PER_SECOND);
  return {
    login: async (request) => {
      const { code, name } = await bodyOf(request, loginRequest);
      if (!logins.take("", performance.now()))
        throw new AapProblem(
          "TOO_MANY_REQUESTS",
          "Too many codes were tried. Wait a moment. Nothing was done.",
        );
      const headers = Object.fromEntries(request.context.req.raw.headers);
      const known = { cookie: cookieIn(headers), key: keyIn(headers) };
      const added = await devices.redeem(code, name, known);
      if (!added)
        throw new AapProblem(
          "UNAUTHORIZED",
          "This code is wrong, was used before, or has expired. Get a new one with: toolgate pair",
        );
      await devices.spread();
      const body = { ...(await meOf(context, added.device)), key: added.key };
      return Response.json(body, { headers: { "set-cookie": setCookie(request, added.cookie) } });
    },
    logout: async (request) => {
      const { device } = request;
      if (device) await devices.revoke(device.deviceId);
      return new Response(null, { status: 204, headers: { "set-cookie": setCookie(request, "") } });
    },
    me: async ({ device }) => Response.json(await meOf(context, device)),
    listDevices: async ({ device }) =>
      Response.json({ devices: devices.list().map((one) => shownDevice(one, device)) }),
    pairDevice: async (request) => {
      const { role, name, url: given } = await bodyOf(request, pairingRequest);
      const base = given === undefined ? originOf(request) : pageUrl(given);
      if (base === undefined) throw new AapProblem("BAD_REQUEST", `${NO_ADDRESS} No code was made.`);
      const { code, expiresAt } = await devices.createCode({
        role,
        name,
        lifetimeMs: PAIRING_MS,
        madeBy: request.device?.deviceId,
      });
      const url = `${base}/login#${code}`;
      return Response.json({ code, url, isLocal: isLocalUrl(base), qr: qrCode(url), expiresAt });
    },
    revokeDevice: async ({ id }) => {
      if (await devices.revoke(id)) return done();
      throw new AapProblem("NOT_FOUND", "There is no such device. Nothing was revoked.");
    },
  };
}

async function meOf(context: ServeContext, device: StoredDevice | undefined): Promise<Me> {
  const { version, folder, agents, modes, models, demo, ledger, notContained } = context;
  const missing = notContained();
  const modeId = context.modeIn(folder);
  return {
    device: device ? shownDevice(device, device) : PROGRAM,
    version,
    folder,
    agents: [...agents],
    modes: [...modes],
    ...(modeId !== undefined && { modeId }),
    models: [...(await models())],
    hasDemo: demo !== undefined,
    isEmpty: (await ledger.sessions({ limit: 1 })).length === 0,
    sandbox: { holds: missing === undefined, ...missing },
  };
}

/** A client with the server's token. */
const PROGRAM: Device = {
  deviceId: "token",
  name: "Program with the token",
  role: "all",
  createdAt: 0,
  seenAt: 0,
  answers: 0,
  isThis: true,
};

function shownDevice(
  { deviceId, name, role, createdAt, seenAt, answers }: StoredDevice,
  own: StoredDevice | undefined,
): Device {
  return { deviceId, name, role, createdAt, seenAt, answers, isThis: deviceId === own?.deviceId };
}

function setCookie(request: PageRequest, value: string): string {
  return cookieHeader(hostOf(request), value, originOf(request).startsWith("https:"));
}

const hostOf = ({ context }: PageRequest): string => context.req.header("host") ?? "";
