/** A one-use code for another device, as a QR code where that device can open its address. */
import { useEffect, useState } from "preact/hooks";
import type { Device, DeviceRole, Pairing } from "toolgate/serve/client";
import { api } from "../api.js";
import { useNow } from "../clock.js";
import { act } from "../parts/act.js";
import { Note } from "../parts/controls.js";
import { Visible } from "../parts/visible.js";
import { longTime } from "../words.js";
import { QrCode } from "./qr-code.js";

const ROLES: readonly (readonly [DeviceRole, string, string])[] = [
  ["watch", "Watch", "See sessions and questions. Not: answer, start agents, change rules, undo."],
  ["answer", "Answer", "See sessions and answer questions. Not: start agents, change rules, undo."],
  ["all", "All", "Everything that you may do here."],
];

const LOOK_MS = 2_000;

type PairProps = {
  readonly devices: readonly Device[];
  /** Reads the devices again. */
  readonly onLook: () => void;
};

export function PairDevice({ devices, onLook }: PairProps) {
  const [role, setRole] = useState<DeviceRole>("answer");
  const [address, setAddress] = useState("");
  const [pairing, setPairing] = useState<Pairing>();
  /** The devices before the code was made. */
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set());
  const now = useNow(pairing !== undefined);
  const left = pairing === undefined ? 0 : pairing.expiresAt - now;
  const paired = pairing && devices.find(({ deviceId }) => !known.has(deviceId));
  const isOpen = pairing !== undefined && left > 0 && !paired;
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(onLook, LOOK_MS);
    return () => clearInterval(timer);
  }, [isOpen]);
  const make = async (): Promise<undefined> => {
    const url = address.trim();
    const before = await api.devices();
    setKnown(new Set([...before.devices, ...devices].map(({ deviceId }) => deviceId)));
    setPairing(await api.pair({ role, ...(url !== "" && { url }) }));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void act(make, "No code was made.");
  };
  const about = ROLES.find(([key]) => key === role)?.[2];
  return (
    <section class="box">
      <h2>Pair another device</h2>
      <div class="seg reach" role="group" aria-label="What the device may do">
        {ROLES.map(([key, name]) => (
          <button
            key={key}
            type="button"
            aria-pressed={role === key}
            onClick={() => {
              setRole(key);
              setPairing(undefined);
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <p class="soft">{about}</p>
      {paired && (
        <Note icon="done">
          <b>
            <Visible text={paired.name} isOneLine /> is paired.
          </b>
        </Note>
      )}
      {isOpen && <Code pairing={pairing} left={left} />}
      {(!isOpen || pairing.isLocal || isPlain(pairing)) && (
        <form class="stack" onSubmit={submit}>
          <label class="stack">
            <span class="med">Address by which the device reaches this server</span>
            <span class="field">
              <input
                class="mono"
                type="url"
                value={address}
                placeholder={location.origin}
                onInput={(event) => setAddress(event.currentTarget.value)}
              />
            </span>
          </label>
          <div>
            <button class="btn main">{isOpen ? "Make another code" : "Make a code"}</button>
          </div>
        </form>
      )}
    </section>
  );
}

/** Others could read what goes there. */
const isPlain = ({ url, isLocal }: Pairing): boolean => url.startsWith("http:") && !isLocal;

type CodeProps = { readonly pairing: Pairing; readonly left: number };

function Code({ pairing, left }: CodeProps) {
  const { code, url, qr, isLocal } = pairing;
  return (
    <div class="stack-4">
      {isPlain(pairing) && (
        <Note icon="exit" tone="waiting">
          <b>This address is not encrypted.</b> No server listens there unless it was started with{" "}
          <code>--insecure-listen</code>, behind a tunnel or a proxy.
        </Note>
      )}
      {isLocal ? (
        <Note icon="exit" tone="waiting">
          <b>This address works on this computer only.</b> A phone needs another one: that of a tunnel, of a
          proxy, or of a server with <code>--host</code> and TLS. Give it below, and make another code.
        </Note>
      ) : (
        <p>Point the phone's camera here, or open this address there and type the code.</p>
      )}
      {!isLocal && <QrCode rows={qr} />}
      <p class="mono bigcode">{code}</p>
      <p class="faint xs anywhere">
        {url.split("#")[0]} · works once, for {longTime(left)} more · the code holds no key
      </p>
    </div>
  );
}
