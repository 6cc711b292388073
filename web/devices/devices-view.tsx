/** Paired devices: which may do what, and a code for another one. */
import { useState } from "preact/hooks";
import type { Device, DeviceRole, Pairing } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { useNow } from "../clock.js";
import { live, me } from "../live.js";
import { act } from "../parts/act.js";
import { Empty, Loading } from "../parts/controls.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { ago, counted, longTime } from "../words.js";
import { Notifications } from "./notifications.js";
import { QrCode } from "./qr-code.js";

export function DevicesView() {
  const connections = useStore(live, (state) => state.connections);
  const role = useStore(me, (self) => self?.device.role);
  const { data, error, reload } = useLoaded(() => api.devices(), [connections]);
  return (
    <div class="scroll">
      <div class="bar">
        <h1>Devices</h1>
        <span class="faint xs">only paired devices see this page</span>
      </div>
      <div class="wrapper">
        <div class="halves even">
          {role === "all" && <Pair onPaired={reload} />}
          <section class="box">
            <h2>Paired</h2>
            {!data &&
              (error === undefined ? (
                <Loading what="the devices" />
              ) : (
                <Empty icon="unknown" title={errorText(error)} />
              ))}
            {data?.devices.map((device) => (
              <DeviceRow
                key={device.deviceId}
                device={device}
                mayRevoke={role === "all"}
                onChanged={reload}
              />
            ))}
          </section>
        </div>
        <Notifications />
      </div>
    </div>
  );
}

const ROLES: readonly (readonly [DeviceRole, string, string])[] = [
  ["watch", "Watch", "See sessions and questions. Not: answer, start agents, change rules, undo."],
  ["answer", "Answer", "See sessions and answer questions. Not: start agents, change rules, undo."],
  ["all", "All", "Everything that you may do here."],
];

const ROLE_WORDS: Readonly<Record<DeviceRole, string>> = {
  watch: "watches",
  answer: "answers",
  all: "may do all",
};

type RowProps = { readonly device: Device; readonly mayRevoke: boolean; readonly onChanged: () => void };

function DeviceRow({ device, mayRevoke, onChanged }: RowProps) {
  const { deviceId, name, role, seenAt, answers, isThis } = device;
  const now = useNow();
  const revoke = async (): Promise<{ readonly text: string }> => {
    await api.revokeDevice(deviceId);
    if (isThis) me.set(null);
    else onChanged();
    return { text: `${name} is revoked. That device sees nothing from now on.` };
  };
  return (
    <div class="row">
      <span class="grow">
        <span class="med">
          {name}, {ROLE_WORDS[role]}
        </span>
        {isThis && <span class="faint"> (this one)</span>}
        <br />
        <span class="faint xs">
          seen {isThis ? "now" : ago(seenAt, now)}
          {answers > 0 ? `, ${counted(answers, "answer")}` : ""}
        </span>
      </span>
      {mayRevoke && (
        <button
          type="button"
          class="btn small"
          onClick={() => void act(revoke, "Nothing was revoked.")}
          aria-label={`Revoke ${name}`}
        >
          Revoke
        </button>
      )}
    </div>
  );
}

function Pair({ onPaired }: { readonly onPaired: () => void }) {
  const [role, setRole] = useState<DeviceRole>("answer");
  const [pairing, setPairing] = useState<Pairing>();
  const now = useNow(pairing !== undefined);
  const left = pairing === undefined ? 0 : pairing.expiresAt - now;
  const make = async (): Promise<undefined> => {
    setPairing(await api.pair({ role }));
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
      {pairing && left > 0 ? (
        <div class="stack-4">
          <p>Point the phone's camera here, or open this address there and type the code.</p>
          <QrCode rows={pairing.qr} />
          <p class="mono bigcode">{pairing.code}</p>
          <p class="faint xs">
            {pairing.url.split("#")[0]} · works once, for {longTime(left)} more · the code holds no key
          </p>
          <div>
            <button type="button" class="btn small" onClick={onPaired}>
              Is it there?
            </button>
          </div>
        </div>
      ) : (
        <div>
          <button type="button" class="btn main" onClick={() => void act(make, "No code was made.")}>
            {pairing ? "The code is over: make another" : "Make a code"}
          </button>
        </div>
      )}
    </section>
  );
}
